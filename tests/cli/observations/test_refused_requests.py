"""A request that a broker refuses as a whole is observed as rejected."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path

from click.testing import CliRunner

from checkout import OBSERVATIONS
from replicheck.cli.main import main


def test_a_request_that_is_refused_as_a_whole(tmp_path: Path) -> None:
    """Each partition of it is rejected; the response does not name them."""
    folder = tmp_path / "logs"
    shutil.copytree(OBSERVATIONS / "logs" / "leaders_directory", folder)
    found = r"(response:?\s?)\{error_code=0,partition_errors=\[[^]]*\]"
    for path in folder.glob("broker-*.log.gz"):
        text = gzip.decompress(path.read_bytes()).decode()
        path.chmod(0o644)
        refused = re.sub(found, r"\1{error_code=77,partition_errors=[]", text)
        path.write_bytes(gzip.compress(refused.encode()))
    words = ["observe", "kafka-2.5.1", str(folder)]
    lines = CliRunner().invoke(main, words).stdout.splitlines()[1:]
    labels = [json.loads(line)["label"] for line in lines]
    errors = {
        partition["error"]
        for label in labels
        if label.get("request") == "LeaderAndIsr"
        for partition in label["partitions"]
    }
    assert errors == {"REJECTED"}
    answers = [label for label in labels if "response" in label]
    assert answers
    assert all(label == {"response": "LeaderAndIsr"} for label in answers)
