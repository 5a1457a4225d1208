import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server'
import type { Outcome } from '../../pipeline/call.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { isObject } from '../../protocol/is-object.ts'
import { INVALID_PARAMS, Refusal } from '../json-rpc/json-rpc.ts'
import { promptArguments, refuseCredentials } from './prompts.ts'
import { SCHEMA_TEMPLATE } from './schema-resources.ts'
import { schemaReferencesOf } from './schema-source.ts'

/** Reads with the rights of whoever asks for completions: a call of a task like any other. */
export type ReadTask = (task: string, args: object) => Promise<Outcome>

/** MCP, CompleteResult: at most 100 values. */
const MOST_VALUES = 100
/** Rows of a page, as many as every release takes, and pages that one completion reads at most. */
const PAGE = 100
const MOST_PAGES = 3
/** What the template of schemas leaves out of their references. */
const SCHEMAS = '/schemas/'
/** Longer than any id. */
const MAX_VALUE = 500

/** Where the values of an argument come from. */
interface Source {
  readonly task: string
  readonly args: object
  /** The member of the answer that is the list of rows. */
  readonly rows: string
  /** The id of a row, and the texts by which a person knows the row. */
  readonly read: (row: Readonly<Record<string, unknown>>) => { readonly id: unknown; readonly names: readonly unknown[] }
}

const SOURCES: ReadonlyMap<string, Source> = new Map([
  [
    'media_buy_id',
    {
      task: 'get_media_buys',
      args: { status_filter: ['active', 'paused', 'pending_start', 'pending_creatives'] },
      rows: 'media_buys',
      read: ({ media_buy_id: id, name, buyer_ref: reference }) => ({ id, names: [name, reference] }),
    },
  ],
  [
    'account_id',
    {
      task: 'list_accounts',
      args: {},
      rows: 'accounts',
      read: ({ account_id: id, name, brand }) => ({ id, names: [name, isObject(brand) ? brand.domain : undefined] }),
    },
  ],
])

/**
 * Values that begin with what a person has typed, or whose name holds it (MCP, completion/complete): ids of the caller's own orders and accounts, and paths of
 * schemas. Empty where an argument has no list of values, and where the caller's key may not read it; without a key it is refused as the task is.
 * @throws Refusal (-32602) for a prompt, an argument or a resource that does not exist
 */
export async function complete(
  { ref, argument }: Pick<CompleteRequestParams, 'ref' | 'argument'>,
  read: ReadTask | undefined,
  contracts: Contracts,
): Promise<CompleteResult['completion']> {
  if (argument.value.length > MAX_VALUE) throw invalid(`argument.value is a text of up to ${MAX_VALUE} characters`)
  refuseCredentials({ value: argument.value })
  const typed = argument.value.toLowerCase()
  if (ref.type === 'ref/resource') {
    if (ref.uri !== SCHEMA_TEMPLATE.uriTemplate) throw invalid(`ref.uri is ${SCHEMA_TEMPLATE.uriTemplate}`)
    if (argument.name !== 'path') throw invalid('argument.name of this resource is path')
    return fitting(
      schemaPaths(contracts).map((path) => ({ id: path, names: [path] })),
      typed,
      false,
    )
  }
  const known = promptArguments(ref.name)
  if (known === undefined) throw invalid('ref.name is the name of a prompt, as prompts/list gives it')
  if (!known.includes(argument.name)) throw invalid(`argument.name is one of ${known.join(', ')}`)
  const source = SOURCES.get(argument.name)
  if (source === undefined || read === undefined) return { values: [], total: 0, hasMore: false }
  const { rows, isCut } = await rowsOf(source, read)
  return fitting(rows, typed, isCut)
}

interface Row {
  readonly id: string
  readonly names: readonly string[]
}

/** Ids that begin with the text come first. */
function fitting(rows: readonly Row[], typed: string, isCut: boolean): CompleteResult['completion'] {
  const begins = rows.filter(({ id }) => id.toLowerCase().startsWith(typed))
  const holds = rows.filter((row) => !begins.includes(row) && row.names.some((name) => name.toLowerCase().includes(typed)))
  const found = [...begins, ...holds].map(({ id }) => id)
  return {
    values: found.slice(0, MOST_VALUES),
    ...(!isCut && { total: found.length }),
    hasMore: isCut || found.length > MOST_VALUES,
  }
}

/** The rows of the first pages; `isCut` where there are more. A refusal has no rows. */
async function rowsOf(source: Source, read: ReadTask): Promise<{ rows: readonly Row[]; isCut: boolean }> {
  const rows: Row[] = []
  let cursor: unknown
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const pagination = { max_results: PAGE, ...(cursor !== undefined && { cursor }) }
    const outcome = await read(source.task, { ...source.args, pagination })
    // A signature counts once: whoever signs gets the first page.
    if (!outcome.ok) return { rows, isCut: page > 0 }
    const { [source.rows]: listed, pagination: next } = outcome.payload
    rows.push(...(Array.isArray(listed) ? listed : []).filter(isObject).map(source.read).flatMap(texts))
    cursor = isObject(next) && next.has_more === true ? next.cursor : undefined
    if (cursor === undefined) return { rows, isCut: false }
  }
  return { rows, isCut: true }
}

function texts({ id, names }: ReturnType<Source['read']>): Row[] {
  return typeof id === 'string' ? [{ id, names: names.filter((name) => typeof name === 'string') }] : []
}

/** Paths below `/schemas/` of the requests and responses of every task. */
function schemaPaths(contracts: Contracts): string[] {
  const tasks = new Set(contracts.all.flatMap(({ manifest }) => Object.keys(manifest.tools)))
  const references = [...tasks].flatMap((task) => Object.values(schemaReferencesOf(contracts, task)))
  return [...new Set(references)].flatMap((each) => (each.startsWith(SCHEMAS) ? [each.slice(SCHEMAS.length)] : [])).sort()
}

function invalid(message: string): Refusal {
  return new Refusal(400, INVALID_PARAMS, message)
}
