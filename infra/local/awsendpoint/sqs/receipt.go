package sqs

import (
	"encoding/base64"
	"encoding/binary"
)

// receipt identifies one receive of one message. Its text form is the receipt handle.
type receipt struct {
	queue    string
	sequence uint64
	receives uint32
}

const receiptHead = 8 + 4

// handle returns a text that is opaque to clients: the message's number, the count, the queue.
func (r receipt) handle() string {
	raw := binary.BigEndian.AppendUint64(make([]byte, 0, receiptHead+len(r.queue)), r.sequence)
	raw = binary.BigEndian.AppendUint32(raw, r.receives)
	return base64.URLEncoding.EncodeToString(append(raw, r.queue...))
}

// parseReceipt parses a handle, which must belong to this queue.
func (q *queue) parseReceipt(handle string) (receipt, error) {
	if handle == "" {
		return receipt{}, missingParameter("ReceiptHandle")
	}
	raw, err := base64.URLEncoding.DecodeString(handle)
	if err != nil || len(raw) < receiptHead || string(raw[receiptHead:]) != q.config.Name {
		return receipt{}, newError(codeHandle, "The input receipt handle %q is not a valid receipt handle of %s.", handle, q.config.Name)
	}
	return receipt{queue: q.config.Name, sequence: binary.BigEndian.Uint64(raw), receives: binary.BigEndian.Uint32(raw[8:])}, nil
}
