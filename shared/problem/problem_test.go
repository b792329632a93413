package problem_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

func TestFromFindsWrappedError(t *testing.T) {
	t.Parallel()
	fault := problem.Wrap(io.ErrUnexpectedEOF, problem.FileCorrupt, "Line %d is damaged.", 3)
	wrapped := fmt.Errorf("analyze: %w", fmt.Errorf("read: %w", fault))
	require.Same(t, fault, problem.From(wrapped))
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(wrapped))
	require.Equal(t, "Line 3 is damaged.", fault.Message)
	require.ErrorIs(t, wrapped, io.ErrUnexpectedEOF)
	require.Contains(t, wrapped.Error(), io.ErrUnexpectedEOF.Error(), "the wrapped cause is kept for the log")
}

func TestOtherErrorsAreInternal(t *testing.T) {
	t.Parallel()
	secret := errors.New("password=secret")
	hidden := problem.From(secret)
	require.Equal(t, problem.Internal, hidden.Code)
	require.NotContains(t, hidden.Message, "secret")
	require.ErrorIs(t, hidden, secret)
	require.Equal(t, problem.Internal, problem.CodeOf(secret))
	require.Empty(t, problem.CodeOf(nil))
}

func TestErrorListsFields(t *testing.T) {
	t.Parallel()
	fault := problem.New(problem.MappingInvalid, "No.").With("a", problem.CellEnum, "A").With("b", problem.CellDate, "B")
	require.Equal(t, []problem.Field{
		{Field: "a", Code: problem.CellEnum, Message: "A"}, {Field: "b", Code: problem.CellDate, Message: "B"},
	}, fault.Fields)
	require.Equal(t, "MAPPING_INVALID: No.", fault.Error())
}
