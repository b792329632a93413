package stacktest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
	"github.com/loadbay/loadbay/infra/local/stack"
)

// usesVariable names a file to which the uses of the stacks' roles are appended,
// for `make grants`.
const usesVariable = "IAM_USES"

// checkUses fails a test if its stack has denied a function something: either
// the function makes an unintended call, or its role lacks a permission, which it
// would lack on AWS too.
func (s *Stack) checkUses(t *testing.T) {
	record, err := os.ReadFile(filepath.Join(s.Dir, stack.UsesFile))
	require.NoError(t, err)
	uses, err := iam.ReadUses(bytes.NewReader(record))
	require.NoError(t, err)
	for _, use := range uses {
		if !use.Allowed {
			t.Errorf("a function lacks a permission: %s", use)
		}
	}
	path, wanted := os.LookupEnv(usesVariable)
	if !wanted {
		return
	}
	all, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	_, err = all.Write(record)
	require.NoError(t, err)
	require.NoError(t, all.Close())
}
