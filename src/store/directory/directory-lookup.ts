import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { RowStatus } from '../../domain/directory/lookup-query.ts'
import type { Db } from '../database.ts'
import { bytesOf, fittingRows, PAGE_BYTES } from '../page-size.ts'
import { directoryId } from './directory-agents.ts'
import type { DirectoryAgentRow } from './rows.ts'

export interface PageRequest {
  readonly agentId: string
  readonly statuses: readonly RowStatus[]
  /** ISO 8601 UTC. */
  readonly since: string | undefined
  readonly after: string | undefined
  readonly limit: number
  readonly withPropertyIds: boolean
  readonly withFileForm: boolean
}

/** A page of rows as the wire has them. */
export interface PublisherPage {
  /** JSON objects joined by commas; empty without rows. */
  readonly entries: string
  /** Newest verification among the rows; null without rows. */
  readonly newest: string | null
  /** Domain of the last row, when more rows follow it. */
  readonly continuesAfter: string | undefined
  /** Version of the agent's rows, from the same state of the index as the rows themselves. */
  readonly version: number
  /** ISO 8601 UTC. */
  readonly changedAt: string
}

/** Reads of the directory; its hot statement is compiled once. */
export interface DirectoryReader {
  /** An agent that was ever referenced by an indexed file, with the version of its rows. One row by primary key. */
  findAgent(agentUrl: string): Promise<DirectoryAgentRow | undefined>
  /** Up to `limit` rows in byte order of their domains, filtered in the query; with ids of properties no more than a page holds of them. */
  readRows(request: PageRequest): Promise<PublisherPage>
}

/**
 * With `since`, up to this many matching rows are found by their time and sorted; beyond it matches are so dense (of a
 * million rows one in a hundred) that walking by domain is cheaper.
 */
const SPARSE_ROWS = 10_000

export function createDirectoryReader(db: Db): DirectoryReader {
  const agentById = db.selectFrom('directory_agents').selectAll().where('agent_id', '=', '').compile()
  const compiled = new Map<string, CompiledQuery>()
  // Compiling costs as much as reading the page; there are a few dozen forms of a request at most.
  const run = async <T>(name: string, form: Form, request: PageRequest, build: (form: Form) => RawBuilder<T>) => {
    const key = `${name} ${JSON.stringify(form)}`
    const query = compiled.get(key) ?? build(form).compile(db)
    compiled.set(key, query)
    const parameters = query.parameters.map((parameter) => (parameter instanceof Slot ? request[parameter.name] : parameter))
    return (await db.executeQuery<T>({ ...query, parameters })).rows
  }
  /** How many rows a page has with their ids; the size of each is asked for where that of all is too much. */
  const fittingLimit = async (form: Form, request: PageRequest) => {
    const [all] = await run('bytes', form, request, totalQuery)
    if (Number(all?.bytes ?? 0) <= PAGE_BYTES) return request.limit
    return fittingRows((await run('sizes', form, request, sizesQuery)).map(({ bytes }) => bytes))
  }
  return {
    findAgent: async (agentUrl) => {
      const { rows } = await db.executeQuery<DirectoryAgentRow>({ ...agentById, parameters: [directoryId(agentUrl)] })
      return rows[0]
    },
    readRows: async (asked) => {
      const form = await formOf(db, asked)
      const request = form.withPropertyIds ? { ...asked, limit: await fittingLimit(form, asked) } : asked
      const [page] = await run('page', form, request, pageQuery)
      const entries = page?.entries ?? ''
      const continuesAfter = page?.more ? (page.last ?? undefined) : undefined
      return {
        entries,
        newest: page?.newest ?? null,
        continuesAfter,
        version: Number(page?.version ?? 0),
        changedAt: page?.changed_at ?? '',
      }
    },
  }
}

/** What decides the text of a statement; the rest are its parameters. */
interface Form {
  readonly statuses: readonly RowStatus[]
  readonly hasAfter: boolean
  readonly hasSince: boolean
  readonly isSparse: boolean
  readonly withPropertyIds: boolean
  readonly withFileForm: boolean
}

/** Placeholder of a value of the request in a compiled statement. */
class Slot {
  readonly name: 'agentId' | 'since' | 'after' | 'limit'

  constructor(name: Slot['name']) {
    this.name = name
  }
}

async function formOf(db: Db, request: PageRequest): Promise<Form> {
  const { statuses, since, after, withPropertyIds, withFileForm } = request
  const isSparse = since !== undefined && (await countSince(db, request)) < SPARSE_ROWS
  return { statuses, hasAfter: after !== undefined, hasSince: since !== undefined, isSparse, withPropertyIds, withFileForm }
}

interface PageRow {
  readonly entries: string | null
  readonly newest: string | null
  readonly last: string | null
  /** 1 when a row follows. */
  readonly more: number
  readonly version: number
  readonly changed_at: string
}

/**
 * The page as one text: the engine joins the entries, because handing over 200 rows one by one costs three times as much as
 * the page itself. The rows come in order from the inner query, which its limit keeps whole; both engines join them in the
 * order of their coming, which the contract suite holds them to, while `order by` inside the aggregate would sort them again.
 * Rows, version and the look ahead are one statement, so that they are of one state of the index.
 */
function pageQuery(form: Form): RawBuilder<PageRow> {
  const ids = form.withPropertyIds ? sql`|| ',"property_ids":' || c.property_ids` : sql``
  const fileForm = form.withFileForm ? FILE_FORM : sql``
  const columns = sql`c.publisher_domain, c.verified_at, c.entry ${ids} ${fileForm} || '}' as entry`
  const following = form.statuses.map((status) => sql`exists (${followingQuery(form, status)})`)
  return sql<PageRow>`select page.entries, page.newest, page.last, agent.version, agent.changed_at,
    case when page."rows" = ${new Slot('limit')} and (${sql.join(following, sql` or `)}) then 1 else 0 end as more
    from (
      select string_agg(listed.entry, ',') as entries, count(*) as "rows",
        max(listed.verified_at) as newest, max(listed.publisher_domain) as last
      from (${rowsOf(form, columns)}) as listed
    ) as page
    join directory_agents as agent on agent.agent_id = ${new Slot('agentId')}`
}

interface Bytes {
  readonly bytes: number | string
}

/** Bytes of the ids of each row of the page. */
function sizesQuery(form: Form): RawBuilder<Bytes> {
  return sql<Bytes>`select sized.bytes from (${rowsOf(form, sql`c.publisher_domain, ${bytesOf('c.property_ids')} as bytes`)}) as sized`
}

function totalQuery(form: Form): RawBuilder<Bytes> {
  return sql<Bytes>`select sum(one.bytes) as bytes from (${sizesQuery(form)}) as one`
}

/** Read for who asks for it alone: it is a column of the file, not of the claim. */
const FILE_FORM = sql`|| (select case d.short_form when 1 then ',"file_form":"short"' else ',"file_form":"official"' end
  from directory_documents as d where d.document_id = c.document_id)`

/** The rows of one status behind the page's last. */
function followingQuery(form: Form, status: RowStatus): RawBuilder<unknown> {
  const domain = orderedBy(form)
  return sql`select 1 from directory_claims as c
    where ${sql.join([...conditionsOf(form, status), sql`${domain} > page.last`], sql` and `)}`
}

/** The page's rows. One range of the page index for each status, merged: an IN over both would make the engine sort everything. */
function rowsOf(form: Form, columns: RawBuilder<unknown>): RawBuilder<unknown> {
  const ranges = form.statuses.map((status) => rangeOf(form, columns, status))
  if (ranges.length === 1) return sql`${ranges[0]}`
  const merged = sql.join(
    ranges.map((range, index) => sql`select * from (${range}) as ${sql.id(`r${index}`)}`),
    sql` union all `,
  )
  return sql`select * from (${merged}) as merged order by publisher_domain limit ${new Slot('limit')}`
}

function rangeOf(form: Form, columns: RawBuilder<unknown>, status: RowStatus): RawBuilder<unknown> {
  const domain = orderedBy(form)
  const conditions = conditionsOf(form, status)
  if (form.hasAfter) conditions.push(sql`${domain} > ${new Slot('after')}`)
  return sql`select ${columns} from directory_claims as c
    where ${sql.join(conditions, sql` and `)} order by ${domain} limit ${new Slot('limit')}`
}

function conditionsOf(form: Form, status: RowStatus): RawBuilder<unknown>[] {
  const conditions = [sql`c.agent_id = ${new Slot('agentId')}`, sql`c.shown = ${status}`]
  if (form.hasSince) conditions.push(sql`c.verified_at >= ${new Slot('since')}`)
  return conditions
}

/** An expression in place of the column keeps SQLite off the page index, which would look cheaper and read every row. */
function orderedBy(form: Form): RawBuilder<unknown> {
  return form.isSparse ? sql`(c.publisher_domain || '')` : sql`c.publisher_domain`
}

async function countSince(db: Db, { agentId, statuses, since }: PageRequest): Promise<number> {
  const row = await db
    .selectFrom(
      db
        .selectFrom('directory_claims')
        .select('agent_id')
        .where('agent_id', '=', agentId)
        .where('shown', 'in', statuses)
        .where('verified_at', '>=', since ?? '')
        .limit(SPARSE_ROWS)
        .as('recent'),
    )
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(row.rows)
}
