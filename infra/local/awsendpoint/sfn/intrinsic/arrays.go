package intrinsic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// maxArray is the most elements that AWS lets States.ArrayRange make.
const maxArray = 1000

func array(args []any) (any, error) { return append([]any{}, args...), nil }

func list(value any) ([]any, error) {
	l, ok := value.([]any)
	if !ok {
		return nil, errors.New("the first argument must be an array")
	}
	return l, nil
}

func arrayPartition(args []any) (any, error) {
	l, err := list(args[0])
	if err != nil {
		return nil, err
	}
	size, err := whole(args[1])
	if err != nil {
		return nil, err
	}
	if size < 1 {
		return nil, fmt.Errorf("the size of a part must be positive, not %d", size)
	}
	parts := []any{}
	for len(l) > 0 {
		n := int(min(size, int64(len(l))))
		parts, l = append(parts, append([]any{}, l[:n]...)), l[n:]
	}
	return parts, nil
}

func arrayContains(args []any) (any, error) {
	l, err := list(args[0])
	if err != nil {
		return nil, err
	}
	for _, element := range l {
		if same(element, args[1]) {
			return true, nil
		}
	}
	return false, nil
}

// arrayRange counts from the first to the last number, both included.
func arrayRange(args []any) (any, error) {
	first, err1 := whole(args[0])
	last, err2 := whole(args[1])
	step, err3 := whole(args[2])
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	if step == 0 {
		return nil, errors.New("the step must not be zero")
	}
	if (last-first)/step >= maxArray {
		return nil, fmt.Errorf("the range has more than %d numbers", maxArray)
	}
	numbers := []any{}
	for n := first; (step > 0 && n <= last) || (step < 0 && n >= last); n += step {
		numbers = append(numbers, json.Number(strconv.FormatInt(n, 10)))
	}
	return numbers, nil
}

func arrayGetItem(args []any) (any, error) {
	l, err := list(args[0])
	if err != nil {
		return nil, err
	}
	i, err := whole(args[1])
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= int64(len(l)) {
		return nil, fmt.Errorf("there is no element %d in an array of %d", i, len(l))
	}
	return l[i], nil
}

func arrayLength(args []any) (any, error) {
	l, err := list(args[0])
	if err != nil {
		return nil, err
	}
	return json.Number(strconv.Itoa(len(l))), nil
}

// arrayUnique keeps the first of equal elements.
func arrayUnique(args []any) (any, error) {
	l, err := list(args[0])
	if err != nil {
		return nil, err
	}
	unique := []any{}
	seen := map[string]bool{}
	for _, element := range l {
		key := canonical(element)
		if !seen[key] {
			seen[key] = true
			unique = append(unique, element)
		}
	}
	return unique, nil
}

func same(a, b any) bool { return canonical(a) == canonical(b) }

// canonical writes a value so that equal values, and no others, are written
// alike: 1 and 1.0 are equal, 1 and "1" are not.
func canonical(value any) string {
	if n, ok := value.(json.Number); ok {
		if f, err := n.Float64(); err == nil {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	if s, ok := value.(string); ok {
		return strconv.Quote(s)
	}
	return display(value)
}
