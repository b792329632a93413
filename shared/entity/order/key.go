package order

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
)

// The basis of an idempotency key.
const (
	basisReference = "CLIENT_REFERENCE"
	basisHash      = "HASH"
)

// idempotencyKey returns the key of row i and its basis: the client's own reference, or the
// whole row if there is no reference.
func idempotencyKey(b *entity.Batch, i int) (key, basis string) {
	if reference := b.Columns[clientReference].String(i); reference != "" {
		client, _ := b.Columns[clientID].Int64(i)
		return fmt.Sprintf("%d:%s", client, reference), basisReference
	}
	sum := sha256.Sum256(canonicalRow(b, i))
	return "HASH:" + hex.EncodeToString(sum[:]), basisHash
}

// canonicalRow returns the row in a form that does not depend on how a file formats its values:
// for each declared field the length and the decoded value. NULL has a length that no value has.
func canonicalRow(b *entity.Batch, i int) []byte {
	var row []byte
	for c := range b.Columns {
		v, ok := b.Columns[c].Bytes(i)
		if !ok {
			row = binary.BigEndian.AppendUint32(row, ^uint32(0))
			continue
		}
		row = append(binary.BigEndian.AppendUint32(row, uint32(len(v))), v...)
	}
	return row
}

// KeyFields returns all fields: without a reference, the whole row is the key.
func (*Type) KeyFields() []string {
	names := make([]string, len(declaration.Fields))
	for i := range declaration.Fields {
		names[i] = declaration.Fields[i].Name
	}
	return names
}

// RowKeys finds the idempotency key of row i.
func (*Type) RowKeys(b *entity.Batch, i int, found func(key int, value string)) (by int) {
	key, _ := idempotencyKey(b, i)
	found(0, key)
	return 0
}
