// Package object defines the types that describe stored files, for the packages that store
// them in a bucket and those that write and read them. It depends on no client of a
// bucket.
//
// Tested by infra/tests/conformance: the adapter that returns these types.
package object

import (
	"io"
	"time"
)

// Writer writes a file of unknown size. The file exists once Complete has
// returned; Abort removes all of it and returns the error that it is given.
type Writer interface {
	io.Writer
	// Size is the number of bytes written so far.
	Size() int64
	Complete() error
	Abort(because error) error
}

// Version identifies a version of a file. Reading it fails with SOURCE_CHANGED once another
// file is stored under its key.
type Version struct {
	Key  string
	Size int64  // bytes
	ETag string // as in Info; "" for the current version under the key
}

// SourceChangedMessage is the message of SOURCE_CHANGED.
const SourceChangedMessage = "The file was replaced by another file after it was read. Import the file again."

// Info is the metadata of a file, available without reading it.
type Info struct {
	Size        int64 // bytes
	ETag        string
	ContentType string
	Metadata    map[string]string // names in lower case, without x-amz-meta-
}

// Created is the event that a file has been stored.
type Created struct {
	Key       string `json:"key"`
	Size      int64  `json:"size"`      // bytes
	ETag      string `json:"etag"`      // without quotes
	Sequencer string `json:"sequencer"` // orders the versions stored under a key
	// Sender is who stored the file as S3 reports it: a principal, or only the account or service.
	Sender string `json:"sender,omitempty"`
}

// Event is Created in a queue.
type Event struct {
	Created
	At       time.Time `json:"at"`                 // creation of the object
	Attempts int       `json:"attempts,omitempty"` // how often the object could not be used yet
}

// Valid reports whether the event names an object.
func (e Event) Valid() bool { return e.Key != "" }

// Upload is an address to which a file can be sent without credentials.
type Upload struct {
	Method  string
	URL     string
	Headers map[string]string // to be sent unchanged: they are part of the signature
	Expires time.Time
}

// Part is a part of a file that has been sent.
type Part struct {
	Number int   // from 1
	Size   int64 // bytes
}

// Parts are the addresses to which the parts of a file can be sent.
type Parts struct {
	UploadID string
	URLs     []string // targets of PUT requests, in order; all parts but the last have the same size
	Expires  time.Time
}
