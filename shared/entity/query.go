package entity

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Param is one parameter of a set-based statement in binary form.
type Param struct {
	oid   uint32
	value []byte
}

// ArrayParam passes a column as an array.
func ArrayParam(c *Column) Param { return Param{oid: c.kind.arrayOID(), value: c.arrayValue()} }

// Int64Param passes one number or numeric id.
func Int64Param[T ~int64](v T) Param {
	return Param{oid: pgtype.Int8OID, value: binary.BigEndian.AppendUint64(nil, uint64(v))}
}

// TextParam passes one text.
func TextParam(text string) Param { return Param{oid: pgtype.TextOID, value: []byte(text)} }

// Query runs a statement with binary parameters and calls each with the binary values of every
// row of the result, which are valid only during the call. It bypasses pgx.Tx.Query because pgx
// would encode arrays value by value.
func Query(ctx context.Context, tx pgx.Tx, sql string, params []Param, each func(values [][]byte) error) (int64, error) {
	values := make([][]byte, len(params))
	oids := make([]uint32, len(params))
	formats := make([]int16, len(params))
	for i, p := range params {
		values[i], oids[i], formats[i] = p.value, p.oid, pgx.BinaryFormatCode
	}
	r := tx.Conn().PgConn().ExecParams(ctx, sql, values, oids, formats, []int16{pgx.BinaryFormatCode})
	var stop error
	for r.NextRow() {
		if each == nil || stop != nil {
			continue
		}
		stop = each(r.Values())
	}
	tag, err := r.Close()
	if err == nil {
		err = stop
	}
	if err != nil {
		return 0, fmt.Errorf("run set-based statement: %w", err)
	}
	return tag.RowsAffected(), nil
}

// QueryByIndex is Query for lookups of single rows. It does not let the planner read the whole
// table, as statistics from the time when the table was small suggest, once for each lookup.
func QueryByIndex(ctx context.Context, tx pgx.Tx, sql string, params []Param, each func(values [][]byte) error) error {
	return QueryWithout(ctx, tx, []string{"enable_seqscan"}, sql, params, each)
}

// QueryWithout is Query without some kinds of plan: the names of planner settings such as enable_sort.
func QueryWithout(ctx context.Context, tx pgx.Tx, kinds []string, sql string, params []Param, each func(values [][]byte) error) error {
	if err := setPlans(ctx, tx, kinds, "off"); err != nil {
		return err
	}
	if _, err := Query(ctx, tx, sql, params, each); err != nil {
		return err
	}
	return setPlans(ctx, tx, kinds, "on")
}

func setPlans(ctx context.Context, tx pgx.Tx, kinds []string, allowed string) error {
	if _, err := tx.Exec(ctx, "SELECT set_config(kind, $2, true) FROM unnest($1::text[]) AS kind", kinds, allowed); err != nil {
		return fmt.Errorf("set kinds of plan: %w", err)
	}
	return nil
}

// Exec is Query for statements without a result.
func Exec(ctx context.Context, tx pgx.Tx, sql string, params []Param) (int64, error) {
	return Query(ctx, tx, sql, params, nil)
}

// Int64 reads a binary integer of any size from a result of Query.
func Int64(v []byte) int64 {
	switch len(v) {
	case 8:
		return int64(binary.BigEndian.Uint64(v))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	default:
		return 0
	}
}
