package httpapi

import "github.com/loadbay/loadbay/shared/job"

// columnContent describes the contents of a column and the fields that it may be.
type columnContent struct {
	FillRate        *float64          `json:"fillRate"` // this and the next four: null if the column was not analysed
	DistinctCount   *int64            `json:"distinctCount"`
	DistinctAtLeast bool              `json:"distinctAtLeast"` // there are more distinct values than distinctCount
	Kind            *string           `json:"kind"`
	KindShare       *float64          `json:"kindShare"`
	Candidates      []columnCandidate `json:"candidates"`
	Warnings        []string          `json:"warnings"`
}

// columnCandidate is a field that a column may be.
type columnCandidate struct {
	Field  string        `json:"field"`
	Score  float64       `json:"score"`
	Reason job.MatchedBy `json:"reason"`
}

func toColumnContent(c *job.ColumnContent) columnContent {
	out := columnContent{DistinctAtLeast: c.AtLeast, Candidates: make([]columnCandidate, len(c.Candidates)), Warnings: sliceOrEmpty(c.Warnings)}
	for i, candidate := range c.Candidates {
		out.Candidates[i] = columnCandidate{Field: candidate.Field, Score: roundScore(candidate.Score), Reason: candidate.Reason}
	}
	if c.Rows > 0 {
		out.FillRate, out.DistinctCount = new(roundScore(c.FillRate())), &c.Distinct
	}
	if c.Kind != "" {
		out.Kind, out.KindShare = &c.Kind, new(roundScore(c.KindShare))
	}
	return out
}
