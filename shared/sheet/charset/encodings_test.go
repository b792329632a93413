package charset

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	for name, labels := range map[string]string{
		"utf-8": "UTF-8|utf8|utf-8-sig|65001", "utf-16le": "UTF-16|utf-16le", "utf-16be": "UTF-16BE", "utf-32le": "utf-32",
		"windows-1250": "windows-1250|CP1250|cp-1250|1250|win1250|Windows 1250|x-cp1250", "windows-1252": "ansi|latin1|cp1252",
		"iso-8859-1": "ISO-8859-1", "iso-8859-2": "latin2|ISO_8859-2|iso8859-2|l2", "iso-8859-9": "iso-8859-9", "iso-8859-15": "latin-9|ISO-8859-15",
		"macintosh": "macintosh|MacRoman|mac|x-mac-roman|Mac Roman", "ibm437": "cp437|IBM437|437|dos-437", "ibm850": "850|cp850|IBM850", "ibm852": "CP852",
		"shift_jis": "Shift_JIS|shift-jis|sjis|ms932|cp932|windows-31j", "euc-jp": "EUC-JP", "euc-kr": "EUC-KR|cp949|ks_c_5601-1987", "big5": "Big5|cp950",
		"gbk": "GBK|gb2312|cp936", "gb18030": "GB18030", "koi8-r": "KOI8-R|koi8", "koi8-u": "koi8-u", "ibm866": "cp866|866",
	} {
		for _, label := range strings.Split(labels, "|") {
			got, ok := CanonicalName(label)
			require.True(t, ok, label)
			require.Equal(t, name, got, label)
		}
	}
	for _, name := range canonicalNames() {
		got, ok := CanonicalName(name)
		require.True(t, ok, name)
		require.Equal(t, name, got)
		_, err := NewReader(strings.NewReader(""), name)
		require.NoError(t, err)
		require.Contains(t, EncodingRule(), name)
	}
	for _, unknown := range []string{"", "klingon", "utf-7", "replacement", "x-user-defined", "IBM037", "125", "windows", "1249", "iso-8859"} {
		_, ok := CanonicalName(unknown)
		require.False(t, ok, unknown)
	}
}

// TestInvalidBytesAreRejected: bytes that are invalid in the encoding are never replaced.
func TestInvalidBytesAreRejected(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{"gb18030": "a\xFFb", "shift_jis": "a\x81", "windows-1253": "a\xFFb", "iso-8859-7": "\xAE", "euc-kr": "\xC8\n", "utf-16le": "a\x00b"} {
		r, err := NewReader(strings.NewReader(in), name)
		require.NoError(t, err)
		_, err = io.ReadAll(r)
		require.Equal(t, problem.EncodingInvalid, problem.CodeOf(err), name)
	}
}
