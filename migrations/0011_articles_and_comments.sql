-- +goose Up
-- Articles have authors among the users; comments belong to an article and a user.
-- Compound foreign keys keep the organisation in every reference, which row level
-- security alone does not: it does not apply to the checks of foreign keys.

CREATE TABLE articles (
    organisation_id bigint      NOT NULL,
    id              uuid        NOT NULL DEFAULT gen_random_uuid(),
    slug            text        NOT NULL,
    title           text        NOT NULL,
    description     text,
    body            text        NOT NULL,
    author_id       uuid        NOT NULL,
    tags            text[]      NOT NULL DEFAULT '{}',
    published_at    timestamptz,
    status          text        NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'published', 'archived')),
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    source_job      bigint,
    source_row      bigint,
    source_cells    integer[], -- see users
    PRIMARY KEY (organisation_id, id),
    CONSTRAINT articles_slug_key UNIQUE (organisation_id, slug),
    CONSTRAINT articles_author_fkey FOREIGN KEY (organisation_id, author_id) REFERENCES users (organisation_id, id)
);
-- Postgres looks here when a user is deleted.
CREATE INDEX articles_author ON articles (organisation_id, author_id);
CALL isolate_tenants('articles');

CREATE TABLE comments (
    organisation_id bigint      NOT NULL,
    id              uuid        NOT NULL DEFAULT gen_random_uuid(),
    body            text        NOT NULL,
    article_id      uuid        NOT NULL,
    user_id         uuid        NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    source_job      bigint,
    source_row      bigint,
    source_cells    integer[], -- see users
    PRIMARY KEY (organisation_id, id),
    CONSTRAINT comments_article_fkey FOREIGN KEY (organisation_id, article_id) REFERENCES articles (organisation_id, id),
    CONSTRAINT comments_user_fkey FOREIGN KEY (organisation_id, user_id) REFERENCES users (organisation_id, id)
);
-- Postgres looks here when an article or a user is deleted.
CREATE INDEX comments_article ON comments (organisation_id, article_id);
CREATE INDEX comments_user ON comments (organisation_id, user_id);
CALL isolate_tenants('comments');
