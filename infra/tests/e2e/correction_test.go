package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// TestCorrectAndRetryRows follows a person from a workbook with errors to the last corrected
// row, through the deployed functions.
func TestCorrectAndRetryRows(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	f := excelize.NewFile()
	for i, row := range [][]any{{"Email", "Name", "Active"}, {"ada@example.org", "Ada", true}, {"ben at example.org", "Ben", true}, {"cid@example.org", "Cid", "perhaps"}, {"dan at example.org", "Dan", false}} {
		at, err := excelize.CoordinatesToCellName(1, i+1)
		require.NoError(t, err)
		require.NoError(t, f.SetSheetRow("Sheet1", at, &row))
	}
	file, err := f.WriteToBuffer()
	require.NoError(t, err)
	first := r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "users.xlsx", AutoStart: true}, file.String())
	require.Equal(t, int64(3), first.ErrorCount)
	at := "/api/imports/" + first.Identifier

	patch := func(body string) (done struct{ Matched, Corrected int }) {
		require.NoError(t, r.Do(ctx, http.MethodPatch, at+"/rows", "application/json", strings.NewReader(body), &done))
		return done
	}
	require.Equal(t, 2, patch(`{"where": {"field": "EMAIL", "code": "CELL_EMAIL"}, "transform": [{"op": "replace", "old": " at ", "new": "@"}]}`).Corrected)
	retry := func(rows string) *rawclient.Job {
		var j rawclient.Job
		require.NoError(t, r.Do(ctx, http.MethodPost, at+"/retry", "application/json", strings.NewReader(`{"rows":"`+rows+`"}`), &j))
		ended, err := r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
		require.NoError(t, err)
		require.Equal(t, "COMPLETED", ended.Status)
		return ended
	}
	require.Equal(t, int64(2), retry("corrected").SuccessCount)

	r.post(ctx, t, http.MethodPost, at+"/annotated", nil)
	r.Await(t, "the annotated workbook is available", func() bool {
		answer, err := http.Get("http://" + r.API + at + "/annotated.xlsx")
		require.NoError(t, err)
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	comments, err := r.fetchWorkbook(ctx, t, at+"/annotated.xlsx").GetComments("Sheet1")
	require.NoError(t, err)
	require.Len(t, comments, 1)
	require.Equal(t, "C4", comments[0].Cell)

	require.Equal(t, 1, patch(`{"rows": [{"row": 4, "cells": {"ACTIVE": false}}]}`).Corrected)
	require.Equal(t, int64(1), retry("all-errors").SuccessCount)
	var job struct {
		OpenErrors int64
		Retries    []struct{ SuccessCount int64 }
	}
	require.NoError(t, r.Get(ctx, at, &job))
	require.Zero(t, job.OpenErrors)
	require.Len(t, job.Retries, 2)
	var part struct {
		Rows []struct {
			RowNumber int
			Retry     *struct{ Outcome string }
		}
	}
	require.NoError(t, r.Get(ctx, at+"/rows?outcome=ERROR", &part))
	require.Len(t, part.Rows, 3)
	require.Equal(t, "CREATED", part.Rows[2].Retry.Outcome)
}
