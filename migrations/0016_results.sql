-- +goose Up
-- Results of races. sequence is the order of arrival within a category, by which
-- a result is known when it is imported again.

CREATE TABLE results (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organisation_id bigint  NOT NULL,
    event_id        bigint  NOT NULL,
    category_id     bigint  NOT NULL,
    sequence        bigint  NOT NULL CHECK (sequence > 0),
    participant_id  bigint  NOT NULL,
    race_number     text,
    position        bigint  CHECK (position > 0),
    time_ms         bigint  CHECK (time_ms > 0),
    status          text    NOT NULL DEFAULT 'FINISHED' CHECK (status IN ('FINISHED', 'DNF', 'DNS', 'DSQ')),
    points          numeric CHECK (points >= 0),
    source_job      bigint,
    source_row      bigint,
    FOREIGN KEY (organisation_id, event_id, category_id)    REFERENCES event_categories   (organisation_id, event_id, id),
    FOREIGN KEY (organisation_id, event_id, participant_id) REFERENCES event_participants (organisation_id, event_id, id),
    CONSTRAINT results_sequence_key UNIQUE (organisation_id, event_id, category_id, sequence)
);
CALL isolate_tenants('results');
