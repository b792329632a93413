package intrinsic

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// maxWhole bounds integer arguments: beyond it a float64 is no longer exact,
// and sums could overflow.
const maxWhole = 1 << 53

// whole reads an integer argument; AWS rounds fractions.
func whole(value any) (int64, error) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, fmt.Errorf("a number expected, not %s", display(value))
	}
	f, err := number.Float64()
	if err != nil || math.Abs(f) > maxWhole {
		return 0, fmt.Errorf("the number %s is out of range", number)
	}
	return int64(math.Round(f)), nil
}

func mathAdd(args []any) (any, error) {
	a, err1 := whole(args[0])
	b, err2 := whole(args[1])
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return json.Number(strconv.FormatInt(a+b, 10)), nil
}

// mathRandom returns a number from the first, included, to the second,
// excluded. A seed makes it repeatable, not equal to what AWS returns.
func mathRandom(args []any) (any, error) {
	from, err1 := whole(args[0])
	to, err2 := whole(args[1])
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if from >= to {
		return nil, fmt.Errorf("the start %d must be less than the end %d", from, to)
	}
	draw := rand.Int64N
	if len(args) == 3 {
		seed, err := whole(args[2])
		if err != nil {
			return nil, err
		}
		draw = rand.New(rand.NewPCG(uint64(seed), 0)).Int64N
	}
	return json.Number(strconv.FormatInt(from+draw(to-from), 10)), nil
}
