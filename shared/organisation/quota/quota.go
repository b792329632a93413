// Package quota limits one organisation's use of shared resources: imports and exports that
// have not ended, the bytes of their files, streams, and requests. Package postgres
// implements the counting.
package quota

import (
	"fmt"
	"math"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
)

// Limits are the quotas of an organisation that has none of its own.
type Limits struct {
	OpenImports       int64 `env:"QUOTA_OPEN_IMPORTS" default:"1000"`           // imports that have not ended
	AnnouncedBytes    int64 `env:"QUOTA_ANNOUNCED_BYTES" default:"21474836480"` // size of the files of those
	OpenExports       int64 `env:"QUOTA_OPEN_EXPORTS" default:"50"`             // exports that have not ended
	Streams           int64 `env:"QUOTA_STREAMS" default:"2"`                   // exports streamed at the same time
	RequestsPerMinute int64 `env:"QUOTA_REQUESTS_PER_MINUTE" default:"6000"`
}

// Validate rejects quotas that would prevent all work.
func (l *Limits) Validate() error {
	if min(l.OpenImports, l.AnnouncedBytes, l.OpenExports, l.Streams, l.RequestsPerMinute) < 1 {
		return fmt.Errorf("quotas %+v: each must be at least 1", *l)
	}
	return nil
}

// Kind is one of the quotas.
type Kind struct {
	Name       string // as on the wire
	code       problem.Code
	what       string        // counted resource, for messages
	remedy     string        // how to free some of it
	retryAfter time.Duration // when to retry
}

// The quotas.
var (
	OpenImports = Kind{"openImports", problem.QuotaOpenImports, "unfinished imports",
		"Wait until some are finished, or cancel some.", time.Minute}
	AnnouncedBytes = Kind{"announcedBytes", problem.QuotaAnnouncedBytes, "bytes in files of unfinished imports",
		"Wait until some are finished, or cancel some.", time.Minute}
	storedBytes = Kind{"announcedBytes", problem.QuotaAnnouncedBytes, "bytes in imports of the last 7 days",
		"Wait until older imports are deleted, or ask your operator for a higher limit.", time.Hour}
	storedExports = Kind{"announcedBytes", problem.QuotaAnnouncedBytes, "bytes in exports of the last 7 days",
		"Wait until older exports are deleted, or ask your operator for a higher limit.", time.Hour}
	OpenExports = Kind{"openExports", problem.QuotaOpenExports, "unfinished exports",
		"Wait until some are finished, or cancel some.", 30 * time.Second}
	Streams = Kind{"streams", problem.QuotaStreams, "streaming exports",
		"Wait until one is finished, or create the export with POST /v1/exports.", 30 * time.Second}
	RequestsPerMinute = Kind{"requestsPerMinute", problem.QuotaRequests, "requests in this minute",
		"Try again in the next minute.", time.Minute}
)

// Usage is the used part of a quota.
type Usage struct {
	Limit int64 `json:"limit"`
	Used  int64 `json:"used"`
}

// Check returns nil if more fits into the rest of the quota, or the error that rejects it.
func (u Usage) Check(k Kind, more int64) error {
	if more <= u.Limit-u.Used {
		return nil
	}
	return u.refuse(k, more, k.retryAfter)
}

func (u Usage) refuse(k Kind, more int64, after time.Duration) error {
	fault := problem.New(k.code,
		"Quota exceeded: your organisation has %d %s and the limit is %d. %s", u.Used, k.what, u.Limit, k.remedy).
		With(k.Name, k.code, fmt.Sprintf("%d of %d are used; this needs %d more.", u.Used, u.Limit, more))
	fault.RetryAfter = after
	return fault
}

// Usages are all quotas of an organisation.
type Usages struct {
	OpenImports       Usage `json:"openImports"`
	AnnouncedBytes    Usage `json:"announcedBytes"`
	OpenExports       Usage `json:"openExports"`
	Streams           Usage `json:"streams"`
	RequestsPerMinute Usage `json:"requestsPerMinute"`
}

// Imports is the usage of the quotas of imports.
type Imports struct {
	Open, Bytes Usage
	// Recent is the size in bytes of the imports of the last 7 days: of the files that are still stored
	// (those of open imports, and those of ended ones that arrived), of their mapping documents, and
	// RecordBytes for each import, retry and undo.
	Recent int64
	// Counted reports that the import in question is already counted: its request is repeated
	// and needs no further quota.
	Counted bool
}

// RecordBytes is what an import counts in addition to its file, for its records in the database:
// otherwise imports of tiny files, retries and undos would only be limited by the number of requests.
const RecordBytes = 4 << 10

// Check returns nil if a retry or undo of a file of that many bytes fits, or the error that rejects it.
// An organisation with as many files as it may have can still retry and undo.
func (i Imports) Check(bytes int64) error { return i.check(bytes, 0, recentFiles+1) }

// CheckFile is Check for an import with a new file and a mapping document.
func (i Imports) CheckFile(file, document int64) error {
	return i.check(file, file+document, recentFiles)
}

func (i Imports) check(bytes, stored, times int64) error {
	if i.Counted {
		return nil
	}
	if err := i.Open.Check(OpenImports, 1); err != nil {
		return err
	}
	if err := i.Bytes.Check(AnnouncedBytes, bytes); err != nil {
		return err
	}
	return recent(i.Bytes.Limit, i.Recent, times).Check(storedBytes, stored+RecordBytes)
}

// Exports is the usage of the quotas of exports.
type Exports struct {
	Open Usage
	// Bytes is the limit of announced bytes, and Recent the size in bytes of the files of exports
	// that are still stored.
	Bytes, Recent int64
	Counted       bool // as in Imports
}

// Check returns nil if another export fits, or the error that rejects it. The size of its file is
// not known yet.
func (e Exports) Check() error {
	if e.Counted {
		return nil
	}
	if err := e.Open.Check(OpenExports, 1); err != nil {
		return err
	}
	return recent(e.Bytes, e.Recent, recentFiles).Check(storedExports, 1)
}

// recentFiles is how many times the quota of announced bytes the files of a week may have: files
// are kept for 7 days after the end of their import or export, so ended ones need a bound as well.
const recentFiles = 10

// recent returns the usage of the bound of stored files: a multiple of the quota of announced bytes.
func recent(announced, used, times int64) Usage {
	return Usage{Limit: times * min(announced, math.MaxInt64/times), Used: used}
}
