import { createHash, randomUUID } from 'node:crypto'
import canonicalize from 'canonicalize'
import { type Answer, callTool } from '../testing/call-tool.ts'

const ANSWER_MS = 60_000
/** Offerings that are configured: a report by call, a final one, and files of both. */
const CONFIGURED = [
  'delivery-daily-snapshot',
  'delivery-daily-official',
  'delivery-daily-files-csv',
  'delivery-daily-billing-jsonl',
]
/** Where the agent says that its files are. */
const FILES = 'https://seller.example/reporting/files/'
/** Records on a page of `get_reporting_status`. */
const PAGE = 20

export interface Account {
  readonly brand: { readonly domain: string }
  readonly operator: string
}

/** A total of a report: `impressions` as a number in text. */
interface Total {
  readonly name: string
  readonly value: string
}

export interface Revision {
  readonly reporting_revision_id: string
  readonly report_definition_id: string
  readonly finality: 'snapshot' | 'official'
  readonly period: { readonly start: string }
  readonly row_count: number
  readonly control_totals: readonly Total[]
  readonly revision_content_sha256: string
}

export interface Adjustment {
  readonly adjusts_reporting_revision_id: string
  readonly control_total_deltas: readonly Total[]
}

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')

/** The buyer of one account, who follows its reports and keeps what it has read: nothing of it may change or go. */
export class ReportBuyer {
  readonly revisions = new Map<string, Revision>()
  readonly adjustments = new Map<string, Adjustment>()
  readonly problems: string[] = []
  files = 0
  readonly #kept = new Map<string, string>()
  readonly #checked = new Set<string>()
  readonly #origin: string
  readonly #token: string
  readonly #account: Account
  #checkpoint: string | undefined

  constructor(origin: string, token: string, account: Account) {
    this.#origin = origin
    this.#token = token
    this.#account = account
  }

  /** Asks for reports as they are offered. Throws when one is not taken. */
  async configure(): Promise<void> {
    const { media_buy: media } = await this.#ask('get_adcp_capabilities', {})
    const offered: Answer[] = media.reporting_delivery.offerings
    const configs = CONFIGURED.map((id) => configOf(offered.find(({ offering_id: each }) => each === id)))
    const accounts = [{ account: this.#account, reporting_delivery_configs: configs }]
    const { accounts: answered } = await this.#ask('sync_accounts', { accounts })
    const states = answered[0].reporting_delivery_configs?.map(({ state }: Answer) => state)
    if (String(states) !== String(CONFIGURED.map(() => 'ready'))) throw new Error(JSON.stringify(answered[0]))
  }

  /** Reads what has changed since the last visit that came to its end. */
  async visit(): Promise<void> {
    let cursor: string | undefined
    let next = this.#checkpoint
    do {
      const page = await this.#ask('get_reporting_status', {
        ...{ account: this.#account, view: 'periods', pagination: { max_results: PAGE, ...(cursor && { cursor }) } },
        ...(this.#checkpoint && { changes_after: this.#checkpoint }),
      })
      for (const each of page.revisions) this.#keep(this.revisions, each.reporting_revision_id, each)
      for (const each of page.adjustments) this.#keep(this.adjustments, each.reporting_adjustment_id, each)
      for (const each of page.materializations) this.#keep(new Map(), each.reporting_materialization_id, each)
      next = page.changes_checkpoint
      cursor = page.pagination.cursor
    } while (cursor)
    this.#checkpoint = next
  }

  /** Reads rows and files that are new, or `all` again, and compares their digests with what was published. */
  async check(all = false): Promise<void> {
    for (const [id, kept] of this.#kept) {
      if (this.#checked.has(id) && !all) continue
      const record: Answer = JSON.parse(kept)
      if (record.reporting_materialization_id === id) await this.#checkFiles(record)
      else if (record.reporting_revision_id === id) await this.#checkRows(record)
      this.#checked.add(id)
    }
  }

  async #checkRows(revision: Revision): Promise<void> {
    const { reporting_revision_id: id, row_count, control_totals } = revision
    const rows: Answer[] = []
    let cursor: string | undefined
    do {
      const pagination = { max_results: PAGE, ...(cursor && { cursor }) }
      const asked = { account: this.#account, reporting_revision_id: id, pagination }
      const page = await this.#ask('get_media_buy_delivery', asked)
      if (canonicalize(page.reporting_revision) !== canonicalize(revision))
        this.problems.push(`${id} is read otherwise than published`)
      rows.push(...page.reporting_rows)
      cursor = page.pagination?.cursor
    } while (cursor)
    const binding = { reporting_revision_id: id, row_count, control_totals, reporting_rows: rows }
    if (sha256(canonicalize(binding) ?? '') !== revision.revision_content_sha256)
      this.problems.push(`rows of ${id} are not those of its digest`)
  }

  async #checkFiles({ resource, reporting_materialization_id: id }: Answer): Promise<void> {
    const manifest = await this.#fetch(resource.location)
    if (sha256(manifest) !== resource.manifest_sha256) this.problems.push(`the manifest of ${id} is not that of its digest`)
    const { files }: Answer = JSON.parse(Buffer.from(manifest).toString('utf8'))
    if (files.length === 0) this.problems.push(`${id} has no files`)
    for (const { object_ref: name, sha256: expected, size_bytes: size } of files) {
      const bytes = await this.#fetch(new URL(name, resource.location).href)
      this.files += 1
      if (sha256(bytes) !== expected || bytes.byteLength !== size)
        this.problems.push(`${name} of ${id} is not that of its manifest`)
    }
  }

  #keep<T extends object>(records: Map<string, T>, id: string, record: T): void {
    const [text, before] = [canonicalize(record) ?? '', this.#kept.get(id)]
    if (before !== undefined && before !== text) this.problems.push(`${id} was ${before} and is ${text}`)
    this.#kept.set(id, text)
    records.set(id, record)
  }

  async #fetch(location: string): Promise<Uint8Array> {
    const { pathname, search } = new URL(location)
    const headers = { authorization: `Bearer ${this.#token}` }
    const response = await fetch(new URL(`${pathname}${search}`, this.#origin), {
      headers,
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    if (!response.ok) this.problems.push(`${pathname} is answered with ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  }

  async #ask(task: string, args: object): Promise<Answer> {
    const caller = { origin: this.#origin, token: this.#token, answerMs: ANSWER_MS }
    const answer = await callTool(caller, task, { adcp_version: '3.2', idempotency_key: randomUUID(), ...args })
    if (answer === undefined || answer.adcp_error) throw new Error(`${task}: ${JSON.stringify(answer)}`)
    return answer
  }
}

/** A configuration that is exactly an offering. */
function configOf(offering: Answer): object {
  const { offering_id, feed_purpose, report_definition_id, reporting_profile, schedule, reconciliation_mode, method } = offering
  const { destination_modes: _modes, provider, ...made } = method ?? {}
  return {
    ...{ delivery_config_id: offering_id, delivery_config_version: 1, offering_id, feed_purpose, report_definition_id, schedule },
    ...{ active: true, reporting_profile: reporting_profile.id, scope: { all_media_buys: true }, coverage_requirement: 'full' },
    ...{ required_finality: offering.supported_finality[0], reconciliation_mode },
    ...(method && { method: { ...made, destination: { mode: 'provision', provider, location: FILES } } }),
  }
}
