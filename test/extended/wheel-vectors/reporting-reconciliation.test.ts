import { describe, expect, it } from 'vitest'
import { coverageOf } from '../../../src/domain/reporting/coverage.ts'
import { bindingDigest } from '../../../src/domain/reporting/revision.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

/** Files that need reports which are delivered as files to a destination, and receipts of them: managed_delivery and reconciled_billing are not declared. */
const NOT_PLAYED = [
  'manifest.json',
  'materialization.json',
  'receipts/accepted-recorded-response.json',
  'receipts/accepted-request.json',
  'receipts/accepted-unchanged-response.json',
  'receipts/adjustment-accepted-recorded-response.json',
  'receipts/adjustment-accepted-request.json',
  'receipts/rejected-recorded-response.json',
  'receipts/rejected-request.json',
  // No task sends or takes a definition: a buyer fetches that of this agent as a document.
  'report-definition.json',
  'row-schema.json',
  'scenario-index.json',
  'scenario-index.schema.json',
]

const files = await wheelVectors('reporting-reconciliation')
// biome-ignore lint/suspicious/noExplicitAny: files of somebody else, judged by assertions
const file = (name: string) => files.get(name) as any
const contract = loadContracts().find('3.2')

describe.skipIf(wheelIsMissing)('reporting-reconciliation vectors of 3.2.4', () => {
  it('are played or left out for a reason', () => {
    const played = ['adjustment.json', 'canonicalization.json', 'coverage-aggregation.json']
    const described = ['obligation.json', 'revision.json']
    expect([...NOT_PLAYED, ...played, ...described].sort()).toEqual([...files.keys()].sort())
  })

  it('adjustment: the digest of a correction is over everything else of it', () => {
    const { canonical_adjustment_sha256: digest, ...rest } = file('adjustment.json')
    expect(bindingDigest(rest)).toBe(digest)
  })

  it('revision: the digest of a report binds its id, its totals and its rows', () => {
    const { input_rows: rows } = file('canonicalization.json').golden_vectors.ordering_encoding
    const { reporting_revision_id, row_count, control_totals, revision_content_sha256: digest } = file('revision.json')
    const reporting_rows = rows.toSorted((a: { media_buy_id: string }, b: { media_buy_id: string }) =>
      a.media_buy_id < b.media_buy_id ? -1 : 1,
    )
    expect(bindingDigest({ reporting_revision_id, row_count, control_totals, reporting_rows })).toBe(digest)
  })

  it('coverage: empty_denominator', () => {
    const { vectors } = file('coverage-aggregation.json')
    expect(vectors.map(({ id }: { id: string }) => id)).toEqual(['mixed_support_single_media_buy', 'empty_denominator'])
    // Every package of this agent is counted, so that no media buy is covered in part.
    const { expected_coverage: expected } = vectors[1]
    expect(coverageOf([], [], expected.evaluated_at)).toEqual(expected)
  })

  it.each([
    ['obligation.json', 'core/reporting-obligation.json'],
    ['revision.json', 'core/reporting-revision.json'],
    ['adjustment.json', 'core/reporting-adjustment.json'],
  ])('%s is what the schemas of this agent take', (name, schema) => {
    expect(contract?.schemas.validator(schema)(file(name))).toEqual([])
  })
})
