package transform_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/transform"
)

// expensive is a pattern with some 1,600 instructions.
const expensive = `[{"op":"extract","pattern":"` + "(?:a*a*a*a*){200}b" + `"}]`

func TestExpensivePatternOnLongTextExceedsRow(t *testing.T) {
	chain, err := compile(t, expensive)
	require.NoError(t, err)
	b := transform.NewBudget()
	text := strings.Repeat("a", 32_000)
	b.StartRow(len(text))
	_, err = chain.Apply(b, text)
	require.ErrorContains(t, err, "too much work")
	require.Zero(t, b.Spent(), "the pattern has run")
	require.NoError(t, b.Err(), "only the row is affected")

	b.StartRow(10)
	_, err = chain.Apply(b, "aab")
	require.NoError(t, err, "the next row has its own budget")
}

func TestOrdinaryStepsStayWithinRow(t *testing.T) {
	chain, err := compile(t, `[{"op":"trim"},{"op":"upper"},{"op":"extract","pattern":"[A-Z]{2}-?[0-9]{4,8}","otherwise":"keep"},{"op":"replace","old":"A","new":"B"}]`)
	require.NoError(t, err)
	for _, size := range []int{10, 1_000, 32_000} {
		b := transform.NewBudget()
		b.StartRow(size)
		for range 3 {
			_, err := chain.Apply(b, strings.Repeat("a", size))
			require.NoError(t, err, size)
		}
	}
}

func TestStepsOfFieldsShareTheRowsBudget(t *testing.T) {
	chain, err := compile(t, expensive)
	require.NoError(t, err)
	b := transform.NewBudget()
	b.StartRow(200)
	worked := 0
	for range 1_000 {
		if text, _ := chain.Apply(b, strings.Repeat("a", 9)+"b"); text != "" {
			worked++
		}
	}
	require.Positive(t, worked)
	require.Less(t, worked, 20)
}

// TestChunkOfExpensiveRowsIsBounded: a chunk ends within a second or so, so that the fair queue soon
// serves other organisations.
func TestChunkOfExpensiveRowsIsBounded(t *testing.T) {
	chain, err := compile(t, `[{"op":"extract","pattern":"(?:a*a*a*a*){5}b","otherwise":"keep"}]`)
	require.NoError(t, err)
	b := transform.NewBudget()
	for range 5_000 {
		b.StartRow(50)
		for range 100 {
			if _, err := chain.Apply(b, "aaaa"); err != nil {
				break
			}
		}
	}
	require.Greater(t, b.Spent(), int64(70_000_000), "the rows use up their budget")
	require.LessOrEqual(t, b.Spent(), int64(75_000_000))
}

// TestOrdinaryRequestNeedsNoMore: a request asks once, when it needs more work than an ordinary one,
// and ends if it is refused.
func TestOrdinaryRequestNeedsNoMore(t *testing.T) {
	chain, err := compile(t, `[{"op":"trim"}]`)
	require.NoError(t, err)
	asked := 0
	var refusal error
	allowance := transform.NewRequestAllowance(transform.RequestWork, func() error { asked++; return refusal })
	spend := func(work int) error {
		b := transform.NewBudget()
		b.Limit(t.Context(), allowance)
		text := strings.Repeat("a", 31_249) // 125,000 units of work
		for range work / 125_000 {
			b.StartRow(len(text))
			_, _ = chain.Apply(b, text)
		}
		return b.Err()
	}
	require.NoError(t, spend(transform.OrdinaryWork))
	require.Zero(t, asked)
	refusal = problem.New(problem.TooManyRequests, "Try again.")
	require.Equal(t, problem.TooManyRequests, problem.CodeOf(spend(125_000)))
	refusal = nil
	require.NoError(t, spend(transform.RequestWork-transform.OrdinaryWork))
	require.Equal(t, 2, asked)
	require.Equal(t, problem.ParameterInvalid, problem.CodeOf(spend(125_000)))
}

func TestRequestsLimitEndsAllRows(t *testing.T) {
	chain, err := compile(t, expensive)
	require.NoError(t, err)
	shared := transform.NewAllowance(50_000)
	b, second := transform.NewBudget(), transform.NewBudget()
	b.Limit(t.Context(), shared)
	second.Limit(t.Context(), shared)
	for range 10 {
		b.StartRow(100)
		second.StartRow(100)
		_, _ = chain.Apply(b, strings.Repeat("a", 10))
		_, _ = chain.Apply(second, strings.Repeat("a", 10))
	}
	require.Equal(t, problem.ParameterInvalid, problem.CodeOf(b.Err()))
	require.Equal(t, problem.ParameterInvalid, problem.CodeOf(second.Err()))
	require.LessOrEqual(t, b.Spent()+second.Spent(), int64(50_000))
}

func TestStepsEndWithTheirContext(t *testing.T) {
	chain, err := compile(t, `[{"op":"trim"}]`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	b := transform.NewBudget()
	b.Limit(ctx, nil)
	cancel()
	_, err = chain.Apply(b, "x")
	require.Error(t, err)
	require.ErrorIs(t, b.Err(), context.Canceled)
}
