// Package quota bounds what one organisation takes of what all share: imports and
// exports that have not ended, the bytes of their files, streams, and requests. What
// is counted, and how, is the database's business (package postgres).
package quota

import (
	"fmt"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
)

// Limits are the quotas of an organisation that has none of its own.
type Limits struct {
	OpenImports       int64 `env:"QUOTA_OPEN_IMPORTS" default:"1000"`           // that have not ended
	AnnouncedBytes    int64 `env:"QUOTA_ANNOUNCED_BYTES" default:"21474836480"` // of the files of those
	OpenExports       int64 `env:"QUOTA_OPEN_EXPORTS" default:"50"`             // that have not ended
	Streams           int64 `env:"QUOTA_STREAMS" default:"2"`                   // exports streamed at the same time
	RequestsPerMinute int64 `env:"QUOTA_REQUESTS_PER_MINUTE" default:"6000"`
}

// Validate refuses quotas that nobody could do anything under.
func (l *Limits) Validate() error {
	if min(l.OpenImports, l.AnnouncedBytes, l.OpenExports, l.Streams, l.RequestsPerMinute) < 1 {
		return fmt.Errorf("quotas %+v: each must be 1 or more", *l)
	}
	return nil
}

// Kind is one of the quotas.
type Kind struct {
	Name       string // as on the wire
	code       problem.Code
	what       string        // that an organisation has
	remedy     string        // what makes room
	retryAfter time.Duration // when it is worth asking again
}

// The quotas.
var (
	OpenImports = Kind{"openImports", problem.QuotaOpenImports, "imports that have not ended",
		"Wait until some have ended, or cancel those that are not wanted.", time.Minute}
	AnnouncedBytes = Kind{"announcedBytes", problem.QuotaAnnouncedBytes, "bytes in files of imports that have not ended",
		"Wait until some have ended, or cancel those that are not wanted.", time.Minute}
	OpenExports = Kind{"openExports", problem.QuotaOpenExports, "exports that have not ended",
		"Wait until some have ended, or cancel those that are not wanted.", 30 * time.Second}
	Streams = Kind{"streams", problem.QuotaStreams, "exports that are being streamed",
		"Wait until one has been read to its end, or use POST /v1/exports.", 30 * time.Second}
	RequestsPerMinute = Kind{"requestsPerMinute", problem.QuotaRequests, "requests in this minute",
		"Wait for the next minute.", time.Minute}
)

// Usage is how much of a quota is used.
type Usage struct {
	Limit int64 `json:"limit"`
	Used  int64 `json:"used"`
}

// Check is the refusal of more of a quota than is left, or nil.
func (u Usage) Check(k Kind, more int64) error {
	if more <= u.Limit-u.Used {
		return nil
	}
	return u.refuse(k, more, k.retryAfter)
}

func (u Usage) refuse(k Kind, more int64, after time.Duration) error {
	fault := problem.New(k.code, "Your organisation has %d %s and may have %d. %s", u.Used, k.what, u.Limit, k.remedy).
		With(k.Name, k.code, fmt.Sprintf("%d of %d are used; this takes %d.", u.Used, u.Limit, more))
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

// Imports is what an import takes of.
type Imports struct {
	Open, Bytes Usage
	// Known says that the import asked about is one of those counted: its request is
	// being repeated, and takes nothing more.
	Counted bool
}

// Check is the refusal of an import with a file of that many bytes, or nil.
func (i Imports) Check(bytes int64) error {
	if i.Counted {
		return nil
	}
	if err := i.Open.Check(OpenImports, 1); err != nil {
		return err
	}
	return i.Bytes.Check(AnnouncedBytes, bytes)
}
