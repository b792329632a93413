package reader_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// TestCSVSpectrum compares every file of csv-spectrum with the JSON next to it.
func TestCSVSpectrum(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpus(t), "csv-spectrum", "*.csv"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			want, err := os.ReadFile(strings.TrimSuffix(file, ".csv") + ".json")
			require.NoError(t, err)
			data, want = repairPair(filepath.Base(file), data, want)
			got, err := json.Marshal(objects(t, data))
			require.NoError(t, err)
			require.JSONEq(t, string(want), string(got))
		})
	}
}

// objects reads a file as one object per row, with the header's names as keys.
func objects(t *testing.T, data []byte) []map[string]string {
	t.Helper()
	ctx, lim, src := context.Background(), sheet.DefaultLimits(), bytes.NewReader(data)
	d, err := reader.Detect(ctx, src, sheet.Options{}, lim)
	require.NoError(t, err)
	rows, err := reader.Open(ctx, src, d, lim)
	require.NoError(t, err)
	var all []map[string]string
	for rows.Next() {
		object := make(map[string]string)
		for i, c := range rows.Row().Cells {
			object[d.Header[i]] = string(c.Bytes)
		}
		all = append(all, object)
	}
	require.NoError(t, rows.Err())
	return all
}

// repairPair fixes two inconsistent pairs of the set: newlines_crlf.csv has lost its CRs on the
// way here, and location_coordinates.json is one object without its array, with another telephone
// number than the CSV.
func repairPair(name string, data, want []byte) ([]byte, []byte) {
	switch name {
	case "newlines_crlf.csv":
		data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	case "location_coordinates.csv":
		data = bytes.ReplaceAll(data, []byte("2095257564"), []byte("1234567890"))
		want = append(append([]byte("["), want...), ']')
	}
	return data, want
}
