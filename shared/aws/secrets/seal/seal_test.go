package seal_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/secrets/seal"
)

var first, second = strings.Repeat("a1", 32), strings.Repeat("b2", 32)

func keys(t *testing.T, document string) *seal.Keys {
	t.Helper()
	k, err := seal.ParseKeys(document)
	require.NoError(t, err)
	return k
}

func TestOpenRequiresSameOwner(t *testing.T) {
	t.Parallel()
	k := keys(t, `{"current":"1","1":"`+first+`"}`)
	sealed := k.Seal("whsec_text", "one")
	require.True(t, seal.IsSealed(sealed))
	require.NotContains(t, sealed, "whsec")
	require.NotEqual(t, sealed, k.Seal("whsec_text", "one"), "equal texts have different ciphertexts")
	text, err := k.Open(sealed, "one")
	require.NoError(t, err)
	require.Equal(t, "whsec_text", text)

	_, err = k.Open(sealed, "two")
	require.Error(t, err)
	_, err = keys(t, `{"current":"1","1":"`+second+`"}`).Open(sealed, "one")
	require.Error(t, err, "another key with the same name does not open it")
	head, encoded, _ := strings.Cut(strings.TrimPrefix(sealed, "sealed:"), ":")
	bytes, err := base64.RawStdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	for i := range bytes {
		changed := append([]byte(nil), bytes...)
		changed[i] ^= 1
		_, err := k.Open("sealed:"+head+":"+base64.RawStdEncoding.EncodeToString(changed), "one")
		require.Error(t, err, "byte %d", i)
	}
	for _, broken := range []string{"", "whsec_text", "sealed:", "sealed:1", "sealed:1:", "sealed:1:%%", sealed[:len(sealed)-4]} {
		_, err := k.Open(broken, "one")
		require.Error(t, err, broken)
		require.NotContains(t, err.Error(), "whsec_text")
	}
}

func TestKeyRotation(t *testing.T) {
	t.Parallel()
	old := keys(t, `{"current":"1","1":"`+first+`"}`).Seal("text", "one")
	both := keys(t, `{"current":"2","1":"`+first+`","2":"`+second+`"}`)
	require.False(t, both.IsCurrent(old))
	text, err := both.Open(old, "one")
	require.NoError(t, err)
	renewed := both.Seal(text, "one")
	require.True(t, both.IsCurrent(renewed))
	last := keys(t, `{"current":"2","2":"`+second+`"}`)
	_, err = last.Open(old, "one")
	require.ErrorIs(t, err, seal.ErrUnknownKey)
	text, err = last.Open(renewed, "one")
	require.NoError(t, err)
	require.Equal(t, "text", text)
}

func TestParseKeysRejectsInvalidKeys(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		"", "[]", "secret-of-ours", `{}`, `{"current":"1"}`, `{"1":"` + first + `"}`, `{"current":"2","1":"` + first + `"}`,
		`{"current":"1","1":"secret-of-ours"}`, `{"current":"a:b","a:b":"` + first + `"}`, `{"current":1,"1":"` + first + `"}`,
	} {
		_, err := seal.ParseKeys(document)
		require.Error(t, err, document)
		require.NotContains(t, err.Error(), "secret-of-ours")
	}
}
