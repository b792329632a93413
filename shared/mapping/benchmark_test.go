package mapping_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping"
)

// wideInput returns the largest accepted header row and a wide type: 500 columns, and 40
// targets with eight names each, of similar words.
func wideInput() (mapping.Dictionary, []mapping.Column) {
	things := []string{"Sender", "Receiver", "Customer", "Delivery", "Billing", "Shipper", "Partner", "Previous"}
	parts := []string{"name", "address", "phone number", "reference", "date"}
	var d mapping.Dictionary
	for i := range 40 {
		thing, part := things[i/5], parts[i%5]
		t := mapping.Target{Name: fmt.Sprintf("%s_%s", thing, part), Title: thing + " " + part}
		for _, suffix := range []string{"text", "value", "primary", "secondary", "official", "current"} {
			t.Aliases = append(t.Aliases, fmt.Sprintf("%s %s %s", suffix, thing, part))
		}
		d.Targets = append(d.Targets, t)
	}
	columns := make([]mapping.Column, 500)
	for i := range columns {
		thing, part := things[i%8], parts[i%5]
		columns[i] = mapping.Column{
			Index:   i,
			Header:  fmt.Sprintf("%s_%s%.*s", thing[:len(thing)-i%2], part[i%3:], i%4, "xyzw"),
			Samples: []string{"1", "a@example.org", "2024-01-02"},
		}
	}
	return d, columns
}

func BenchmarkMatch500Columns40Targets(b *testing.B) {
	d, columns := wideInput()
	m, err := mapping.New(d)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		m.Match(columns)
	}
}

// BenchmarkMatchOneHeader500Times is the worst case of the assignment: all columns
// compete for the same few targets.
func BenchmarkMatchOneHeader500Times(b *testing.B) {
	var d mapping.Dictionary
	for i := range 40 {
		d.Targets = append(d.Targets, mapping.Target{Name: fmt.Sprintf("FIELD_%d", i), Aliases: []string{"Contact"}})
	}
	m, err := mapping.New(d)
	require.NoError(b, err)
	columns := make([]mapping.Column, 500)
	for i := range columns {
		columns[i] = mapping.Column{Index: i, Header: "Contact"}
	}
	for b.Loop() {
		m.Match(columns)
	}
}

func BenchmarkNew40Targets(b *testing.B) {
	d, _ := wideInput()
	b.ReportAllocs()
	for b.Loop() {
		_, err := mapping.New(d)
		require.NoError(b, err)
	}
}

// BenchmarkNearestOf5000 ranks 1,000 values that equal none of 5,000 candidates.
func BenchmarkNearestOf5000(b *testing.B) {
	candidates := make([]mapping.Candidate, 5000)
	for i := range candidates {
		candidates[i] = mapping.Candidate{ID: int64(i), Name: fmt.Sprintf("Cycling club of town number %d", i*7919%5000)}
	}
	r := mapping.NewRanking(candidates)
	for b.Loop() {
		for i := range 1000 {
			r.Nearest(fmt.Sprintf("Cyclng clb of town %d", i*104729%1000), 3)
		}
	}
}
