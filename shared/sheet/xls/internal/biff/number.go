package biff

import (
	"encoding/binary"
	"math"
	"strconv"
)

// Float decodes a number of eight bytes.
func Float(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// RKFloat decodes a number of four bytes ([MS-XLS] 2.5.122): an integer of 30 bits or the upper 30
// bits of a float, optionally divided by 100.
func RKFloat(b []byte) float64 {
	rk := binary.LittleEndian.Uint32(b)
	var v float64
	if rk&2 != 0 {
		v = float64(int32(rk) >> 2)
	} else {
		v = math.Float64frombits(uint64(rk&^3) << 32)
	}
	if rk&1 != 0 {
		v /= 100
	}
	return v
}

// AppendFloat appends the shortest decimal number that denotes the same float, without an exponent
// if it has a usual magnitude, so that no zeros replace digits that a float does not contain.
func AppendFloat(dst []byte, v float64) []byte {
	format := byte('E')
	if size := math.Abs(v); size >= 1e-7 && size < 1e16 || v == 0 {
		format = 'f'
	}
	return strconv.AppendFloat(dst, v, format, -1, 64)
}

// ErrorText returns the text that programs display for an error value ([MS-XLS] 2.5.10).
func ErrorText(code byte) string {
	switch code {
	case 0x00:
		return "#NULL!"
	case 0x07:
		return "#DIV/0!"
	case 0x0f:
		return "#VALUE!"
	case 0x17:
		return "#REF!"
	case 0x1d:
		return "#NAME?"
	case 0x24:
		return "#NUM!"
	case 0x2a:
		return "#N/A"
	case 0x2b:
		return "#GETTING_DATA"
	}
	return "#ERROR!"
}
