import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const documented = readFileSync('docs/operations.md', 'utf8')

test.each([
  ['platform/decode/parse-json.ts', 'MAX_DEPTH = 64', '64 levels'],
  ['platform/decode/parse-json.ts', 'MAX_NODES = 100_000', '100,000 values'],
  ['platform/decode/parse-json.ts', 'MAX_MEMBERS = 5_000', '5,000 members in one object'],
  ['pipeline/value-bounds.ts', 'MAX_ADDRESSES = 1_000', '`required_axe_integrations` …) | 1,000 |'],
  ['pipeline/value-bounds.ts', 'MAX_ARGUMENT_MEMBERS = 2_000', '| members of an object | 2,000 |'],
  ['platform/decode/parse-json.ts', 'MAX_NAME = 512', '512 characters in the name'],
  ['platform/decode/parse-json.ts', 'MAX_WHITE_SPACE = 65_536', '65,536 characters of white space'],
  ['operator/imports/import-problems.ts', 'MAX_VALUES = 500_000', 'may have 500,000 values'],
  ['operator/size-limits.ts', 'MOST_JSON_BYTES = 4 * 1024 * 1024', '| the admin API | 4 MiB |'],
  ['operator/size-limits.ts', 'MOST_FIELDS_BYTES = 64 * 1024', '| 64 KiB; 16 MiB in'],
  ['operator/size-limits.ts', 'MOST_FORM_BYTES = 16 * 1024 * 1024', '16 MiB in 5,000 parts'],
  ['platform/decode/multipart.ts', 'MAX_PARTS = 5_000', 'in 5,000 parts'],
  ['platform/decode/multipart.ts', 'MAX_HEADER_BYTES = 2_048', '2,048 bytes of headers'],
  ['transports/ads/decision-routes.ts', 'MOST_BYTES = 65_536', 'decisions of ads | 64 KiB |'],
  ['transports/trusted-match/sync-route.ts', 'MAX_BYTES = 16 * 1024 * 1024', '(Trusted Match) | 16 MiB |'],
  [
    'transports/trusted-match/context/context-route.ts',
    'CONTEXT_BYTES = 256 * 1024',
    'match request (Trusted Match) | 256 KiB |',
  ],
  [
    'transports/trusted-match/identity/identity-route.ts',
    'IDENTITY_BYTES = 256 * 1024',
    'match request (Trusted Match) | 256 KiB |',
  ],
  ['transports/http/registry.ts', 'MAX_BODY_BYTES = 64 * 1024', 'OAuth (tokens, registration) | 64 KiB |'],
  ['transports/http/oauth.ts', 'MAX_BODY_BYTES = 64 * 1024', 'OAuth (tokens, registration) | 64 KiB |'],
  ['transports/http/oauth-interaction.ts', 'MAX_FORM_BYTES = 16 * 1024', 'sign-in for OAuth | 16 KiB |'],
  ['transports/http/directory-pages/route.ts', 'MAX_PASTE_BYTES = 1024 * 1024', 'page of the directory | 1 MiB |'],
  ['platform/net/body-room.ts', 'inAll: 128 * 1024 * 1024', '128 MiB of memory together'],
  ['platform/net/body-room.ts', 'ofSender: 32 * 1024 * 1024', 'of one seller that syncs packages 32 MiB'],
  ['platform/net/body-room.ts', 'small: 64 * 1024 * 1024', 'have 64 MiB of'],
  ['platform/net/body-room.ts', 'SMALL_BYTES = 16 * 1024', 'Bodies of up to 16 KiB'],
  ['platform/decode/table-limits.ts', 'MAX_ROWS = 50_001', '50,001 rows'],
  ['platform/decode/table-limits.ts', 'MAX_COLUMNS = 256', 'of 256 columns'],
  ['platform/decode/table-limits.ts', 'MAX_CELLS = 1_000_000', '1,000,000 cells'],
  ['operator/reports/delivery-report.ts', 'MAX_ROWS = 10_000', 'A report of delivery or of placements has at most 10,000 rows'],
  [
    'operator/placements/report-placements.ts',
    'MOST_ROWS = 10_000',
    'A report of delivery or of placements has at most 10,000 rows',
  ],
  ['store/page-size.ts', 'PAGE_BYTES = 1_000_000', 'above a megabyte in all (two for media buys)'],
  ['tasks/media-buy/get-media-buys.ts', 'MOST_BYTES = 2_000_000', 'above a megabyte in all (two for media buys)'],
  ['tasks/governance/get-plan-audit-logs.ts', 'MOST_SHOWN = 1_000', 'the newest 1,000 entries, actions and escalations'],
  ['tasks/governance/get-plan-audit-logs.ts', 'MOST_BYTES = 1_500_000', '1,500,000 bytes of each at most'],
  ['tasks/governance/sync-plans.ts', 'MAX_PORTFOLIOS = 10', '| portfolios that hold one plan | 10 |'],
  ['domain/governance/check-plan.ts', 'MAX_POLICIES = 100', 'as JSON | 100; 100,000 characters |'],
  ['domain/governance/check-plan.ts', 'MAX_POLICY_CHARACTERS = 100_000', 'as JSON | 100; 100,000 characters |'],
  ['domain/governance/check-plan.ts', 'MAX_PLAN_CHARACTERS = 200_000', '| a plan, as JSON | 200,000 characters |'],
  ['platform/decode/decode-thread-handle.ts', 'MEMORY_MB = 256', '256 MiB of memory'],
  ['platform/decode/decoders.ts', 'table: 10_000', '10 seconds of processor time'],
  ['platform/decode/decoders.ts', 'workbook: 15_000', 'a workbook, and a sheet that is'],
  ['platform/decode/processor-deadline.ts', 'MOST_OF_CLOCK = 6', 'six times as long by the clock'],
])('%s has the bound %s, which docs/operations.md says', (file, bound, words) => {
  expect(readFileSync(`src/${file}`, 'utf8')).toMatch(new RegExp(`\\b${bound.replaceAll('*', '\\*')}\\b`))
  expect(documented).toContain(words)
})
