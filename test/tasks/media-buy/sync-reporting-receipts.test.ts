import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BookedLine } from '../../../src/ad-serving/ad-server.ts'
import { NOTHING } from '../../../src/domain/media-buy/delivery.ts'
import { removeAccountGrant, saveAccountGrant } from '../../../src/store/account/account-grants.ts'
import { LINES } from '../../support/release-agent.ts'
import { type ReportedAccount, startReportedAccount } from '../../support/reported-account.ts'

const sha256 = (content: string | Uint8Array) => hash('sha256', content, 'hex')
const ORIGIN = 'https://seller.example'

describe.skipIf(!LINES.includes('3.2'))('reports as files', () => {
  let reported: ReportedAccount
  const status: ReportedAccount['status'] = (...asked) => reported.status(...asked)
  const period = { start: '2026-03-17T00:00:00.000Z', end: '2026-03-18T00:00:00.000Z' }
  const billing = { period, feed_purposes: ['billing'] }
  const fetched = (url: string, headers: Record<string, string> = { authorization: `Bearer ${reported.agent.key}` }) =>
    fetch(url.replace(ORIGIN, new URL(reported.agent.url).origin), { headers })
  const filesAt = async (url: string) => {
    const { files } = (await (await fetched(url)).json()) as { files: { object_ref: string; url: string }[] }
    return files
  }
  const receipts = async (more: object) => {
    const { data } = await reported.ask('sync_reporting_receipts', { account: { account_id: reported.account_id }, ...more })
    return data.results.map((each: { result: string; errors?: [{ code: string }] }) => each.errors?.[0].code ?? each.result)
  }
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
  let made: any
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
  let revision: any
  const receipt = (id: string, more: object = {}) => ({
    ...{ reporting_receipt_id: `receipt-of-buyer-${id}`, reporting_obligation_id: made.reporting_obligation_id },
    ...{ reporting_revision_id: made.reporting_revision_id, status: 'accepted', verification_profile: 'canonical_digest' },
    reporting_materialization_id: made.reporting_materialization_id,
    ...{ observed_row_count: revision.row_count, observed_control_totals: revision.control_totals },
    observed_canonical_content_digest: revision.canonical_content_digest,
    observed_manifest_sha256: made.resource.manifest_sha256,
    observed_at: new Date(reported.now()).toISOString(),
    ...more,
  })

  beforeAll(async () => {
    reported = await startReportedAccount()
    const { adServers } = reported.agent.server.services
    const { of } = adServers
    const counted = (lines: readonly BookedLine[]) =>
      lines.map(({ packageId }) => ({ packageId, days: [{ ...NOTHING, day: '2026-03-17', impressions: 1_234, views: 1_234 }] }))
    const reportDelivery = { value: async (lines: readonly BookedLine[]) => counted(lines) }
    Object.assign(adServers, { of: (...asked: Parameters<typeof of>) => Object.create(of(...asked), { reportDelivery }) })
    const configured = await reported.configure([
      reported.config('snapshot'),
      reported.config('files'),
      reported.config('billing'),
    ])
    expect(configured.errors).toBeUndefined()
    expect(configured.reporting_delivery_configs.map((each: { state: string }) => each.state)).toEqual([
      'ready',
      'ready',
      'ready',
    ])
    reported.goTo(Date.parse('2026-03-18T01:00:00Z'))
    await status('summary')
    reported.goTo(Date.parse('2026-03-25T08:00:00Z'))
    const answer = await status('periods', billing)
    made = answer.materializations.at(-1)
    revision = answer.revisions.find((each: { finality: string }) => each.finality === 'official')
  }, 120_000)
  afterAll(() => reported?.agent.stop())

  test('whose final report is not there yet are pending, in an answer that the schema takes', async () => {
    const { periods } = await status('periods', {
      period: { start: '2026-03-23T00:00:00.000Z', end: '2026-03-24T00:00:00.000Z' },
    })
    const owed = periods.filter(({ feed_purpose: purpose }: { feed_purpose: string }) => purpose === 'billing')
    expect(owed).toMatchObject([
      { production_status: 'pending', reconciliation_status: 'pending', health: 'waiting', issues: [] },
    ])
  })

  test('a receipt of more than 4,096 characters is refused, and nothing of it is kept', async () => {
    const codes = Array.from({ length: 100 }, (_, index) => `CODE_${index}_${'X'.repeat(50)}`)
    const long = receipt('long', { status: 'rejected', rejection_codes: codes })
    expect(await receipts({ receipts: [long] })).toEqual(['INVALID_REQUEST'])
    expect((await status('periods', billing)).receipts ?? []).toEqual([])
  })

  test('are declared, and configured for the place where they are', async () => {
    expect(reported.capability).toMatchObject({
      ...{ managed_delivery: true, reconciled_billing: true, receipt_task: 'sync_reporting_receipts' },
    })
    const elsewhere = reported.config('billing', { delivery_config_version: 2 })
    const { method } = elsewhere as unknown as { method: { destination: object } }
    const theirs = { ...method, destination: { ...method.destination, location: 's3://bucket/reports/' } }
    const refused = await reported.configure([{ ...elsewhere, method: theirs }])
    expect(refused.errors[0]).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      message: expect.stringContaining('/reporting/files/'),
    })
    const both = [reported.config('billing'), { ...reported.config('billing'), delivery_config_id: 'other' }]
    expect((await reported.configure(both)).errors[0].message).toContain('one active configuration of files for billing')
  })

  test('have the rows, the digest and the totals that the call has', async () => {
    const manifest = await (await fetched(String(made.resource.location))).text()
    expect(sha256(manifest)).toBe(made.resource.manifest_sha256)
    const { files, row_count, control_totals, compression, format } = JSON.parse(manifest)
    expect({ row_count, control_totals, compression, format }).toEqual({
      ...{ row_count: revision.row_count, control_totals: revision.control_totals, compression: 'gzip', format: 'jsonl' },
    })
    const answer = await fetched(new URL(files[0].object_ref, made.resource.location).href)
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(sha256(bytes)).toBe(files[0].sha256)
    expect(answer.headers.get('repr-digest')).toBe(`sha-256=:${hash('sha256', bytes, 'base64')}:`)
    const rows = gunzipSync(bytes)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { data: read } = await reported.ask('get_media_buy_delivery', {
      account: { account_id: reported.account_id },
      reporting_revision_id: revision.reporting_revision_id,
    })
    expect(rows.length).toBeGreaterThan(0)
    expect(read.reporting_rows).toEqual(rows)
    const { reporting_revision_id } = revision
    const binding = { reporting_revision_id, row_count, control_totals, reporting_rows: rows }
    expect(sha256(canonicalize(binding) ?? '')).toBe(revision.revision_content_sha256)
    expect(sha256(`[${rows.map((row) => canonicalize(row)).join(',')}]`)).toBe(revision.canonical_content_digest.value)
  })

  test('have the same rows as comma-separated values', async () => {
    const answer = await status('periods', { period, delivery_config_ids: ['files'] })
    const [first] = answer.materializations
    expect(first).toMatchObject({ feed_purpose: 'pacing', verification: { verification_profile: 'manifest_checksums' } })
    const files = await filesAt(first.resource.location)
    const object = await fetched(new URL(files[0]?.object_ref ?? '', first.resource.location).href)
    const text = gunzipSync(new Uint8Array(await object.arrayBuffer())).toString()
    const [head = '', line = ''] = text.split('\r\n')
    const { data: read } = await reported.ask('get_media_buy_delivery', {
      account: { account_id: reported.account_id },
      reporting_revision_id: first.reporting_revision_id,
    })
    const cells = line.split(',')
    expect(Object.fromEntries(head.split(',').map((name, index) => [name, cells[index]]))).toEqual(read.reporting_rows[0])
    expect(answer.periods[0]).toMatchObject({
      health: 'complete',
      successful_materialization_count: answer.materializations.length,
    })
  })

  test('are read by their buyer alone, or by an address that was signed for them and ends', async () => {
    const { location } = made.resource
    expect((await fetched(location, {})).status).toBe(401)
    expect((await fetched(location, { authorization: 'Bearer nobody' })).status).toBe(401)
    const other = await reported.agent.addBuyer({ principal: 'another' })
    expect((await fetched(location, { authorization: `Bearer ${other}` })).status).toBe(404)
    expect((await fetched(location.replace('manifest.json', 'addresses'), {})).status).toBe(401)
    const files = await filesAt(location.replace('manifest.json', 'addresses'))
    expect(files).toHaveLength(2)
    for (const { url } of files) expect((await fetched(url, {})).status).toBe(200)
    const url = files[0]?.url ?? ''
    const foreign = url.replace(/reporting-resource\.[0-9a-f]{24}/, `reporting-resource.${'0'.repeat(24)}`)
    const unsigned = await fetched(foreign, {})
    expect(unsigned.status).toBe(403)
    expect(await unsigned.json()).toMatchObject({
      error: { code: 'AUTH_INVALID', message: expect.stringContaining('…/addresses') },
    })
    expect((await fetched(url.replace(/expires=\d+/, 'expires=9999999999'), {})).status).toBe(403)
    expect((await fetched(`${url}x`, {})).status).toBe(403)
    const now = reported.now()
    reported.goTo(now + 901_000)
    expect((await fetched(url, {})).status).toBe(403)
    reported.goTo(now)
  })

  test('are fetched by whoever may ask for the reports: of a closed account too, not without the permission for that task', async () => {
    const { store } = reported.agent.server
    const { location } = made.resource
    const url = (await filesAt(location.replace('manifest.json', 'addresses')))[0]?.url ?? ''
    const setStatus = (value: 'active' | 'closed') =>
      store.transaction((tx) =>
        tx.updateTable('accounts').set({ status: value }).where('account_id', '=', reported.account_id).execute(),
      )
    const both = async () => [(await fetched(location)).status, (await fetched(url, {})).status]
    await setStatus('closed')
    expect((await status('summary')).status).toBe('completed')
    expect(await both()).toEqual([200, 200])
    await setStatus('active')
    const { tenantId, principalId } = await store.read
      .selectFrom('accounts')
      .select(['tenant_id as tenantId', 'principal_id as principalId'])
      .where('account_id', '=', reported.account_id)
      .executeTakeFirstOrThrow()
    const grant = { tenantId, accountId: reported.account_id, principalId, readOnly: false, allowedTasks: ['get_products'] }
    await store.transaction((tx) => saveAccountGrant(tx, grant, new Date(reported.now())))
    expect((await status('summary')).adcp_error).toMatchObject({ code: 'SCOPE_INSUFFICIENT' })
    expect(await both()).toEqual([404, 404])
    await store.transaction((tx) => removeAccountGrant(tx, tenantId, reported.account_id, principalId))
    expect(await both()).toEqual([200, 200])
  })

  test('need a receipt, which is compared with what was delivered and recorded once', async () => {
    expect((await status('periods', billing)).periods[0]).toMatchObject({
      ...{ reconciliation_status: 'pending', health: 'action_required', receipt_count: 0 },
      issues: [{ code: 'RECEIPT_REQUIRED', responsible_party: 'buyer' }],
    })
    const one = (more: object) => receipts({ receipts: [receipt('0', more)] })
    expect(await one({ reporting_obligation_id: 'nobody' })).toEqual(['REFERENCE_NOT_FOUND'])
    expect(await one({ reporting_materialization_id: 'nobody' })).toEqual(['REFERENCE_NOT_FOUND'])
    expect(await one({ reporting_revision_id: 'nobody' })).toEqual(['REFERENCE_NOT_FOUND'])
    expect(await one({ supersedes_reporting_receipt_id: 'receipt-of-nobody' })).toEqual(['REFERENCE_NOT_FOUND'])
    expect(await one({ observed_row_count: 7 })).toEqual(['INVALID_REQUEST'])
    expect(await one({ observed_control_totals: [] })).toEqual(['INVALID_REQUEST'])
    expect(await one({ observed_manifest_sha256: '0'.repeat(64) })).toEqual(['INVALID_REQUEST'])
    const digest = { ...revision.canonical_content_digest, value: '0'.repeat(64) }
    expect(await one({ observed_canonical_content_digest: digest })).toEqual(['INVALID_REQUEST'])
    expect(await one({ observed_at: '2026-03-17T00:00:00Z' })).toEqual(['INVALID_REQUEST'])
    const [pacing] = (await status('periods', { period, delivery_config_ids: ['files'] })).materializations
    const { reporting_obligation_id, reporting_revision_id, reporting_materialization_id } = pacing
    const ofPacing = { reporting_obligation_id, reporting_revision_id, reporting_materialization_id }
    expect(await one(ofPacing)).toEqual(['INVALID_STATE'])

    const rejected = receipt('1', { status: 'rejected', rejection_codes: ['ROW_COUNT_MISMATCH'], observed_row_count: 0 })
    expect(await receipts({ receipts: [rejected, { ...rejected, reporting_receipt_id: 'receipt-of-buyer-2' }] })).toEqual([
      ...['INVALID_REQUEST', 'INVALID_REQUEST'],
    ])
    const { changes_checkpoint: since } = await status('periods', billing)
    expect(await receipts({ receipts: [rejected] })).toEqual(['recorded'])
    expect(await receipts({ receipts: [rejected] })).toEqual(['unchanged'])
    expect(await receipts({ receipts: [{ ...rejected, consumer_commit_ref: 'x' }] })).toEqual(['IDEMPOTENCY_CONFLICT'])
    const disputed = await status('periods', { ...billing, changes_after: since })
    expect(disputed.receipts).toMatchObject([{ reporting_receipt_id: 'receipt-of-buyer-1', status: 'rejected' }])
    expect(disputed.periods[0]).toMatchObject({
      ...{ reconciliation_status: 'rejected', health: 'action_required', receipt_count: 1, accepted_receipt_count: 0 },
      issues: [{ code: 'RECEIPT_REJECTED', responsible_party: 'seller', recommended_action: 'contact_seller' }],
    })
    expect(await receipts({ receipts: [receipt('3')] })).toEqual(['CONFLICT'])
    expect(await receipts({ receipts: [receipt('3', { supersedes_reporting_receipt_id: 'receipt-of-buyer-1' })] })).toEqual([
      'recorded',
    ])
    expect(await receipts({ receipts: [receipt('4', { supersedes_reporting_receipt_id: 'receipt-of-buyer-3' })] })).toEqual([
      'INVALID_STATE',
    ])
    expect(await status('summary', billing)).toMatchObject({ health: 'complete', issues: [] })
    const whole = await status('revision', { reporting_revision_id: revision.reporting_revision_id })
    expect(whole).toMatchObject({ materializations: [{}], receipts: [{}, {}], adjustment_receipts: [] })
  })

  test('are at most a hundred receipts a batch', async () => {
    const many = Array.from({ length: 51 }, (_, index) => receipt(`many-${index}`))
    const correction = (index: number) => ({
      ...{ reporting_receipt_id: `receipt-of-correction-${index}`, reporting_adjustment_id: `nobody-${index}` },
      ...{ adjusts_reporting_revision_id: 'nobody', status: 'accepted', observed_adjustment_sha256: '0'.repeat(64) },
      observed_at: new Date(reported.now()).toISOString(),
    })
    const corrections = Array.from({ length: 50 }, (_, index) => correction(index))
    const sent = { account: { account_id: reported.account_id }, receipts: many, adjustment_receipts: corrections }
    const { data } = await reported.ask('sync_reporting_receipts', sent)
    expect(JSON.stringify(data)).toContain('at most 100')
    expect(await receipts({ adjustment_receipts: [correction(0)] })).toEqual(['REFERENCE_NOT_FOUND'])
  })
})
