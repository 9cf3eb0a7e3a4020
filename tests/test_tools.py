"""Tools that are needed once, on a day when nothing may go wrong."""

import re
import subprocess
import tomllib

import pytest
from processes import ROOT, python_ends


def test_the_package_can_be_renamed_and_installed_by_name(tmp_path):
    """In a copy: no name is left, each module compiles, and documents name the distribution."""
    if not (ROOT / ".git").exists():
        pytest.skip("not in a checkout")
    copy = tmp_path / "copy"
    tool = ROOT / "tools" / "rename.py"
    status, out, err = python_ends(tool, "quickbleu", "--in", copy, "--no-build")
    assert status == 0, out + err
    files = [path for path in copy.rglob("*") if path.is_file()]
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=True)
    assert len(files) == len(tracked.stdout.splitlines())
    left = [path for path in files if re.search(rb"fastbleu|FASTBLEU", path.read_bytes())]
    assert all(f"{path.relative_to(copy)} is not text" in out for path in left)
    assert not [path for path in files if "fastbleu" in path.relative_to(copy).as_posix()]
    project = tomllib.loads((copy / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == "quickbleu"
    assert project["scripts"] == {"quickbleu": "quickbleu.cli:main"}
    readme = (copy / "README.md").read_text("utf-8")
    assert "unrelated" not in readme
    subprocess.run(["bash", "tools/release.sh", "by-name"], cwd=copy, check=True)
    (first, *_) = re.findall(r"```sh\n(.*)", (copy / "README.md").read_text("utf-8"))
    assert first == "pip install quickbleu"
    for path in files:
        of_checkout = re.search(
            rb"(?m)pip install '\\*\.|^pip install \.( +#|$)", path.read_bytes()
        )
        assert path.parent.name == "tools" or not of_checkout, path
        if path.suffix == ".py":
            compile(path.read_bytes(), path, "exec", dont_inherit=True)
