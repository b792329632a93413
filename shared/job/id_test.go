package job_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

const anID = "0192f0c1-2b7a-7c3d-8e4f-5a6b7c8d9e0f"

func TestParseID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]job.ID{
		anID:                                   anID,
		"0192F0C1-2B7A-7C3D-8E4F-5A6B7C8D9E0F": anID,
		"":                                     "",
		"7":                                    "",
		"0192f0c12b7a7c3d8e4f5a6b7c8d9e0f":     "",
		"{" + anID + "}":                       "",
		"urn:uuid:" + anID:                     "",
		anID + "0":                             "",
		" " + anID[1:]:                         "",
		anID[:35] + "g":                        "",
		anID[:35] + "\x00":                     "",
		"0192f0c1_2b7a_7c3d_8e4f_5a6b7c8d9e0f": "",
	} {
		id, err := job.ParseID(text)
		require.Equal(t, want, id, "%q", text)
		require.Equal(t, want == "", err != nil, "%q", text)
		export, err := job.ParseExportID(text)
		require.Equal(t, job.ExportID(want), export, "%q", text)
		require.Equal(t, want == "", err != nil, "%q", text)
	}
}

func TestRefValid(t *testing.T) {
	t.Parallel()
	require.True(t, job.Ref{JobID: anID, OrganisationID: 1}.Valid())
	require.True(t, job.ExportRef{ExportID: anID, OrganisationID: 1}.Valid())
	require.True(t, job.EventRef{EventID: anID, OrganisationID: 1}.Valid())
	for _, id := range []string{"", "7", "0192F0C1-2B7A-7C3D-8E4F-5A6B7C8D9E0F"} {
		require.False(t, job.Ref{JobID: job.ID(id), OrganisationID: 1}.Valid(), id)
		require.False(t, job.ExportRef{ExportID: job.ExportID(id), OrganisationID: 1}.Valid(), id)
		require.False(t, job.EventRef{EventID: job.EventID(id), OrganisationID: 1}.Valid(), id)
	}
	require.False(t, job.Ref{JobID: anID}.Valid())
	require.False(t, job.ExportRef{ExportID: anID}.Valid())
	require.False(t, job.EventRef{EventID: anID, OrganisationID: -1}.Valid())
}
