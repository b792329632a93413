package dynamodb

import (
	"bytes"
	"iter"

	"go.etcd.io/bbolt"
)

// walk visits the encoded items that may satisfy the plan, in its order.
func (p *searchPlan) walk(cursor *bbolt.Cursor) iter.Seq2[[]byte, []byte] {
	var prefix, start []byte
	if p.key != nil {
		prefix = append(partitionKey(p.key.Partition), p.key.Prefix...)
		start = append(partitionKey(p.key.Partition), p.key.From...)
	}
	first := func() ([]byte, []byte) { return seekForward(cursor, start, p.start) }
	next := cursor.Next
	if !p.forward {
		first = func() ([]byte, []byte) { return seekBackward(cursor, prefix, p.start) }
		next = cursor.Prev
	}
	return func(yield func([]byte, []byte) bool) {
		for key, value := first(); key != nil && bytes.HasPrefix(key, prefix); key, value = next() {
			if !yield(key, value) {
				return
			}
		}
	}
}

// seekForward finds the first item not before from and after the key start, if any.
func seekForward(cursor *bbolt.Cursor, first, start []byte) ([]byte, []byte) {
	if bytes.Compare(start, first) < 0 {
		start = nil
	}
	if start == nil {
		if len(first) == 0 {
			return cursor.First()
		}
		return cursor.Seek(first)
	}
	key, value := cursor.Seek(start)
	if bytes.Equal(key, start) {
		return cursor.Next()
	}
	return key, value
}

// seekBackward finds the last item with the prefix within, before the key start, if any.
func seekBackward(cursor *bbolt.Cursor, prefix, start []byte) ([]byte, []byte) {
	if start == nil || !bytes.HasPrefix(start, prefix) && bytes.Compare(start, prefix) > 0 {
		start = prefixEnd(prefix)
	}
	if start == nil {
		return cursor.Last()
	}
	if key, _ := cursor.Seek(start); key == nil {
		return cursor.Last()
	}
	return cursor.Prev()
}

// prefixEnd is the least key that is greater than all keys with a prefix; nil if
// there is none.
func prefixEnd(prefix []byte) []byte {
	for end := bytes.Clone(prefix); len(end) > 0; end = end[:len(end)-1] {
		if last := len(end) - 1; end[last] < 0xFF {
			end[last]++
			return end
		}
	}
	return nil
}
