"""A client of one installation of Loadbay."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any, Literal

from . import types
from .frames import rows_of
from .transport import Response, Transport, next_page

# Most small imports end within QUICK_SECONDS; the server sets the interval of later polls.
QUICK_SECONDS, QUICK_POLL, LONGEST_POLL = 3.0, 0.1, 60.0


def ended(job: types.ImportJob) -> bool:
    """Reports whether an import has reached a final state."""
    return job["status"] in ("COMPLETED", "FAILED", "CANCELLED")


def needs_input(job: types.ImportJob) -> bool:
    """Reports whether an import waits for a person: for answers, or for the approval of its plan."""
    return job["waitingFor"] in ("COLUMN_MAPPINGS", "CELL_MAPPINGS", "APPROVAL")


class Client:
    """Calls one installation.

    token is a token or an API key, or a function that returns one before each request.
    timeout is the longest time in seconds to wait for a response.
    """

    def __init__(self, url: str, token: str | Callable[[], str] | None = None, *, timeout: float = 60.0, attempts: int = 5):
        self._transport = Transport(url, token, timeout, attempts)

    # Imports

    def import_file(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        import_type: str,
        *,
        filename: str | None = None,
        key: str | None = None,
        wait: bool = True,
        **options: Any,
    ) -> types.ImportJob:
        """Imports a file: a path, or a file that is opened for reading bytes and can seek.

        options are those of POST /api/imports, such as mode="upsert", contextId=11 or autoStart=True.
        key makes a call safe to repeat for 24 hours: the same key and file identify one import.
        The result is that of wait(), or the new import without wait.
        """
        if not hasattr(file, "read"):
            with open(file, "rb") as opened:  # type: ignore[arg-type]
                return self.import_file(opened, import_type, filename=filename or os.path.basename(file), key=key, wait=wait, **options)  # type: ignore[arg-type]
        size, digest = _measure(file)  # type: ignore[arg-type]
        creation = {"importType": import_type, "filename": filename or "upload.csv", "sizeBytes": size, "sha256": digest, **options}
        job = self._post("/api/imports", creation, {"Idempotency-Key": key or str(uuid.uuid4())})
        if job.get("upload"):
            self._upload(job["upload"], file, size)  # type: ignore[arg-type]
        return self.wait(job["identifier"]) if wait else job

    def import_rows(self, rows: Iterable[Mapping[str, Any]], import_type: str, *, filename: str = "rows.csv", **arguments: Any) -> types.ImportJob:
        """Imports dictionaries as a CSV file. The first one determines the columns. None is an empty cell."""
        text = io.StringIO()
        writer: csv.DictWriter[str] | None = None
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(text, list(row))
                writer.writeheader()
            writer.writerow(row)
        return self.import_file(io.BytesIO(text.getvalue().encode()), import_type, filename=filename, **arguments)

    def import_frame(self, frame: Any, import_type: str, *, filename: str = "frame.csv", **arguments: Any) -> types.ImportJob:
        """Imports a data frame of pandas, polars or any other library with the interchange protocol."""
        return self.import_rows(rows_of(frame), import_type, filename=filename, **arguments)

    def plan(self, file: str | os.PathLike[str] | IO[bytes], import_type: str, **arguments: Any) -> types.ImportJob:
        """Prepares an import as import_file does, without writing: apply() or cancel() ends it."""
        arguments.setdefault("autoStart", True)
        return self.import_file(file, import_type, plan=True, **arguments)

    def get(self, job_id: str) -> types.ImportJob:
        """Returns the state of an import."""
        return self.request("GET", f"/api/imports/{job_id}")

    def wait(self, job_id: str, *, timeout: float | None = None, each: Callable[[types.ImportJob], None] | None = None) -> types.ImportJob:
        """Waits until an import has ended or needs input, and returns it.

        Raises TimeoutError after timeout seconds. each is called for every state.
        """
        begin, tag, job = time.monotonic(), "", None
        while True:
            response = self._transport.call("GET", f"/api/imports/{job_id}", headers={"If-None-Match": tag} if tag else {})
            if response.status != 304:
                tag, job = response.headers.get("ETag") or "", response.json()
                if each:
                    each(job)
                if ended(job) or needs_input(job):
                    return job
            waited = time.monotonic() - begin
            if timeout is not None and waited > timeout:
                raise TimeoutError(f"import {job_id} has not ended after {timeout} seconds")
            time.sleep(QUICK_POLL if waited < QUICK_SECONDS else _poll_interval(response))

    def cancel(self, job_id: str) -> None:
        """Cancels an import, or discards a plan. Written rows are kept."""
        self.request("DELETE", f"/api/imports/{job_id}")

    # Questions

    def columns(self, job_id: str) -> Iterator[types.ColumnMapping]:
        """Iterates over the columns of an import and their fields."""
        return self.pages(f"/api/imports/{job_id}/column-mappings")

    def answer_columns(self, job_id: str, answers: Iterable[types.ColumnAnswer] = (), *, confirm: bool = True) -> None:
        """Saves decisions about columns and, with confirm, continues. Columns without a field are ignored."""
        self._answer(f"/api/imports/{job_id}/column-mappings", list(answers), confirm)

    def values(self, job_id: str) -> Iterator[types.CellMapping]:
        """Iterates over the values of an import that are matched to entities or words."""
        return self.pages(f"/api/imports/{job_id}/cell-mappings")

    def answer_values(self, job_id: str, answers: Iterable[types.CellAnswer] = (), *, confirm: bool = True) -> None:
        """Saves decisions about values and, with confirm, continues."""
        self._answer(f"/api/imports/{job_id}/cell-mappings", list(answers), confirm)

    def _answer(self, path: str, answers: list[Any], confirm: bool) -> None:
        if answers:
            self.request("PUT", path, body=answers)
        if confirm:
            self.request("POST", path + "/confirm", headers={"Prefer": "wait=20"})

    # Results, plans and undos

    def errors(self, job_id: str) -> Iterator[types.RowResult]:
        """Iterates over the rows with errors."""
        return self.results(job_id, outcome="ERROR")

    def results(self, job_id: str, *, outcome: types.Outcome | None = None) -> Iterator[types.RowResult]:
        """Iterates over the outcomes of all rows, or of those with one outcome."""
        return self.pages(f"/api/imports/{job_id}/results", {"outcome": outcome, "size": 1000})

    def changes(self, job_id: str) -> Iterator[types.Change]:
        """Iterates over the changed fields of an import or a plan."""
        cursor = None
        while True:
            part = self.request("GET", f"/api/imports/{job_id}/changes", {"limit": 200, "cursor": cursor})
            yield from part["changes"]
            if part["complete"]:
                return
            cursor = part["cursor"]

    def apply(self, plan: types.ImportJob, *, on_stale: Literal["skip", "abort", "overwrite"] = "skip", wait: bool = True) -> types.ImportJob:
        """Writes exactly the changes of a plan."""
        if not plan["plan"]:
            raise ValueError("the import is not a plan")
        self._post(f"/api/imports/{plan['identifier']}/apply", {"digest": plan["plan"]["digest"], "onStale": on_stale})
        return self.wait(plan["identifier"]) if wait else self.get(plan["identifier"])

    def undo(self, job_id: str, *, mode: types.UndoMode = "safe", preview: bool = False, retries: bool = False, key: str | None = None) -> types.ImportJob:
        """Undoes an import, and waits for the end of the undo. preview only shows the outcome."""
        response = self._transport.call(
            "POST", f"/api/imports/{job_id}/undo", {"preview": preview}, {"mode": mode, "retries": retries}, {"Idempotency-Key": key or str(uuid.uuid4())}
        )
        return self.wait(response.json()["identifier"])

    def retry(self, job_id: str, **options: Any) -> types.ImportJob:
        """Imports the failed rows of an import again, and waits for the end."""
        return self.wait(self._post(f"/api/imports/{job_id}/retry", options, {"Idempotency-Key": str(uuid.uuid4())})["identifier"])

    # Any request

    def request(
        self, method: str, path: str, params: Mapping[str, Any] | None = None, *, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        """Sends any request and returns the JSON of its response, or None."""
        return self._transport.call(method, path, params, body, headers).json()

    def pages(self, path: str, params: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """Iterates over the entries of a list to its end."""
        address: str | None = path
        while address:
            response = self._transport.call("GET", address, params)
            yield from response.json()
            address, params = next_page(response, self._transport.base), None

    def _post(self, path: str, body: Any, headers: Mapping[str, str] | None = None) -> Any:
        return self.request("POST", path, body=body, headers=headers)

    def _upload(self, upload: Any, file: IO[bytes], size: int) -> None:
        if "parts" not in upload:
            file.seek(0)
            self._transport.put(upload["url"], upload["headers"], file.read())
            return
        length = upload["partSizeBytes"]
        for part in upload["parts"]:
            file.seek((part["partNumber"] - 1) * length)
            self._transport.put(part["url"], {}, file.read(length))
        self.request("POST", upload["completeUrl"])


def _measure(file: IO[bytes]) -> tuple[int, str]:
    """Returns the size and the SHA-256 of a file."""
    file.seek(0)
    digest, size = hashlib.sha256(), 0
    while block := file.read(1 << 20):
        digest.update(block)
        size += len(block)
    return size, digest.hexdigest()


def _poll_interval(response: Response) -> float:
    text = response.headers.get("Retry-After") or ""
    return min(float(text), LONGEST_POLL) if text.isdigit() and text != "0" else 1.0
