package step_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// Checksums as printed by sha256sum.
const (
	usersFile    = "email,name\nann@x.org,Ann\nbob@x.org,Bob\n"
	usersSum     = "b19c9ec0c2c11580240fbf52ab932344f5566ae4d7a3a13e4689e7dcfe5cc31f"
	usersUTF16   = "email,name\nann@x.org,Zoë\n" // written in UTF-16LE with a byte order mark
	usersSum16   = "584fe6188dbf312d60568c2fbfe0949a659be8cb4decf2472ba2a1d35ca295f7"
	entriesFile  = "First name,Last name,Email,Category\nAnn,Ash,ann@x.org,Junior\n"
	entriesSum   = "119fea2ab62794b51913a08fa3c145fd67450845a28d5ca0b93bf27d1ae761b6"
	wrongSum     = "0000000000000000000000000000000000000000000000000000000000000000"
	utf16LittleE = "\xff\xfe"
)

func utf16(text string) string {
	var b strings.Builder
	b.WriteString(utf16LittleE)
	for _, r := range text {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

// TestEveryFileHasChecksum imports files that were uploaded without a checksum.
func TestEveryFileHasChecksum(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, sum string }{
		"text split in place":   {usersFile, usersSum},
		"text split into packs": {utf16(usersUTF16), usersSum16},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 1)
			ref := e.create(t, "USER", "users.csv", c.file, nil)
			require.Empty(t, e.job(t, ref).SHA256)
			e.prepare(t, ref)
			require.Equal(t, c.sum, e.job(t, ref).SHA256)
		})
	}
	t.Run("whole file", func(t *testing.T) {
		t.Parallel()
		e := setupEvent(t)
		ref := e.createInEvent(t, "EVENT_PARTICIPANT", entriesFile, "{}")
		e.runWhole(t, ref, 10)
		require.Equal(t, entriesSum, e.job(t, ref).SHA256)
	})
}

// TestChecksumMismatchIsRejected: the checksum of a multipart upload is compared with the
// announced one only in this step, before any row is queued.
func TestChecksumMismatchIsRejected(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	ref := e.create(t, "USER", "users.csv", usersFile, func(j *job.Job) { j.SHA256 = wrongSum })
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	_, err = e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, problem.ChecksumMismatch, problem.CodeOf(e.split.Run(t.Context(), ref)))
	require.Empty(t, e.queued)

	good := e.create(t, "USER", "users.csv", usersFile, func(j *job.Job) { j.SHA256 = usersSum })
	e.prepare(t, good)
	require.NotEmpty(t, e.queued)
}

// TestChecksumIsComparedBeforeContentErrors: a file that was damaged on its way is not blamed for what
// its sender did not write.
func TestChecksumIsComparedBeforeContentErrors(t *testing.T) {
	t.Parallel()
	damaged := usersFile + "eve@x.org," + strings.Repeat("\x00", 200_000) + "\n"
	late := "email,name\n" + strings.Repeat("ann@x.org,Ann\n", 20_000) + strings.Repeat("x", 200_000)
	announced := func(j *job.Job) { j.SHA256 = wrongSum }
	code := func(e *engine, file string, announce func(*job.Job)) problem.Code {
		ref := e.create(t, "USER", "users.csv", file, announce)
		if _, err := e.analyze.Run(t.Context(), ref); err != nil {
			return problem.CodeOf(err)
		}
		_, err := e.resolve.Run(t.Context(), ref)
		require.NoError(t, err)
		return problem.CodeOf(e.split.Run(t.Context(), ref))
	}
	for name, file := range map[string]string{"in the analysis": damaged, "behind the analysis": late, "no spreadsheet": "PK\x03\x04 is not a workbook"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 1000)
			require.Equal(t, problem.ChecksumMismatch, code(e, file, announced))
			require.NotEqual(t, problem.ChecksumMismatch, code(e, file, nil))
		})
	}
}
