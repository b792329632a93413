package crypt_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/internal/crypt"
	"github.com/loadbay/loadbay/shared/sheet/internal/ole"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// streams returns the two streams of an encrypted workbook.
func streams(t *testing.T, file []byte) (info, body []byte) {
	t.Helper()
	f, err := ole.Open(context.Background(), bytes.NewReader(file))
	require.NoError(t, err)
	info, err = f.Stream("EncryptionInfo")
	require.NoError(t, err)
	body, err = f.Stream("EncryptedPackage")
	require.NoError(t, err)
	return info, body
}

// archive returns a workbook of more than one segment. excelize writes unreadable containers
// for smaller ones.
func archive(t *testing.T) []byte {
	t.Helper()
	return xlsxtest.Workbook(xlsxtest.Header).With(xlsxtest.Parts{"more": string(bytes.Repeat([]byte("more "), 5000))}).StoredBytes(t)
}

// encryptedArchives returns an archive encrypted with each method.
func encryptedArchives(t *testing.T, archive []byte, password string) map[string][]byte {
	t.Helper()
	standard, err := excelize.Encrypt(archive, &excelize.Options{Password: password})
	require.NoError(t, err)
	return map[string][]byte{"agile": xlsxtest.Agile(t, archive, password, 1000), "standard": standard}
}

func TestPackage(t *testing.T) {
	t.Parallel()
	want := archive(t)
	for name, file := range encryptedArchives(t, want, crypt.DefaultPassword) {
		other, err := excelize.Decrypt(file, &excelize.Options{Password: crypt.DefaultPassword})
		require.NoError(t, err, name)
		require.True(t, bytes.HasPrefix(other, want), "%s: another implementation decrypts the same content", name)

		info, body := streams(t, file)
		got, err := crypt.Package(info, bytes.Clone(body), crypt.DefaultPassword)
		require.NoError(t, err, name)
		plain, err := io.ReadAll(got)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, plain), name)

		_, err = crypt.Package(info, body, "another")
		require.Equal(t, problem.FileEncrypted, problem.CodeOf(err), name)
	}
}

// A truncated file never results in invented data.
func TestTruncatedPackage(t *testing.T) {
	t.Parallel()
	for name, file := range encryptedArchives(t, archive(t), crypt.DefaultPassword) {
		info, body := streams(t, file)
		info = bytes.TrimRight(info, "\x00")
		_, err := crypt.Package(info, bytes.Clone(body), crypt.DefaultPassword)
		require.NoError(t, err, "%s: the whole package is accepted", name)
		for n := range info {
			if n > 300 {
				n = len(info) - n + 299 // from the end as well
			}
			_, err := crypt.Package(info[:n], bytes.Clone(body), crypt.DefaultPassword)
			require.Contains(t, []problem.Code{problem.FileCorrupt, problem.FileEncrypted}, problem.CodeOf(err), "%s: %d bytes", name, n)
		}
		for n := range 108 {
			_, err := crypt.Package(info, bytes.Clone(body[:n]), crypt.DefaultPassword)
			require.Equal(t, problem.FileCorrupt, problem.CodeOf(err), "%s: %d bytes", name, n)
		}
		_, err = crypt.Package(info, nil, "another")
		require.Equal(t, problem.FileEncrypted, problem.CodeOf(err), "%s: a wrong password is reported before a truncated file", name)
	}
}

// Keys with an excessive number of hash rounds are not tried.
func TestRoundsAreBounded(t *testing.T) {
	t.Parallel()
	info, body := streams(t, xlsxtest.Agile(t, archive(t), crypt.DefaultPassword, 1))
	info = bytes.Replace(info, []byte(`spinCount="1"`), []byte(`spinCount="4000000000"`), 1)
	_, err := crypt.Package(info, body, crypt.DefaultPassword)
	require.Equal(t, problem.FileEncrypted, problem.CodeOf(err))
}

// Files encrypted by Excel and other programs, with their passwords.
func TestRealEncryptedFiles(t *testing.T) {
	t.Parallel()
	const corpus = "../../../../../shared/corpus"
	for name, password := range map[string]string{
		"excelize/encryptAES.xlsx": "password", "excelize/encryptSHA1.xlsx": "password", "excelize/encryptSHA512.xlsx": "password",
		"calamine/pass_protected.xlsx": "123",
	} {
		file, err := os.ReadFile(filepath.Join(corpus, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			t.Skip("no real workbooks in " + corpus)
		}
		require.NoError(t, err)
		info, body := streams(t, file)
		plain, err := crypt.Package(info, body, password)
		require.NoError(t, err, name)
		parts, err := zip.NewReader(plain, plain.Size())
		require.NoError(t, err, name)
		for _, p := range parts.File {
			r, err := p.Open()
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, r) // up to its checksum
			require.NoError(t, err, name)
			require.NoError(t, r.Close())
		}
	}
}

func FuzzPackage(f *testing.F) {
	for _, head := range []string{"\x04\x00\x04\x00\x40\x00\x00\x00", "\x03\x00\x02\x00\x24\x00\x00\x00\x20\x00\x00\x00"} {
		f.Add([]byte(head+"<encryption/>"), make([]byte, 40))
	}
	f.Fuzz(func(t *testing.T, info, body []byte) {
		if _, err := crypt.Package(info, body, crypt.DefaultPassword); err != nil {
			require.NotEqual(t, problem.Internal, problem.CodeOf(err))
		}
	})
}
