"""Builds the wheel with the standard library alone, so that a build needs no network (PEP 517)."""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A fixed time makes wheels of the same sources equal.
TIME = (2026, 1, 1, 0, 0, 0)


def _project() -> dict[str, str]:
    """Reads the texts of the table project; tomllib is not in Python 3.10."""
    table = (ROOT / "pyproject.toml").read_text("utf-8").partition("[project]\n")[2].partition("\n[")[0]
    return dict(re.findall(r'^([\w-]+) = "(.*)"$', table, re.MULTILINE))


def _metadata(project: dict[str, str]) -> str:
    return (
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\nSummary: {project['description']}\n"
        f"License: {project['license']}\nRequires-Python: {project['requires-python']}\nDescription-Content-Type: text/markdown\n\n"
        + (ROOT / project["readme"]).read_text("utf-8")
    )


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _project()
    name = f"{project['name']}-{project['version']}"
    files = {str(p.relative_to(ROOT / "src")): p.read_bytes() for p in sorted((ROOT / "src").rglob("*")) if p.suffix == ".py" or p.name == "py.typed"}
    files[f"{name}.dist-info/METADATA"] = _metadata(project).encode()
    files[f"{name}.dist-info/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: loadbay\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{path},sha256={_digest(content)},{len(content)}\n" for path, content in files.items())
    files[f"{name}.dist-info/RECORD"] = f"{record}{name}.dist-info/RECORD,,\n".encode()
    wheel = f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path, TIME), content, zipfile.ZIP_DEFLATED)
    return wheel


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
