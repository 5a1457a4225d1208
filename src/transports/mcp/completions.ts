import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server'
import type { NamedRows } from '../../pipeline/task.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { INVALID_PARAMS, Refusal } from '../json-rpc/json-rpc.ts'
import { promptArguments, refuseCredentials } from './prompts.ts'
import { SCHEMA_TEMPLATE } from './schema-resources.ts'
import { schemaReferencesOf } from './schema-source.ts'

/** Reads the names that a task lists, with the rights of whoever asks for completions; none where they may not use the task. */
export type ReadNamed = (task: string) => Promise<NamedRows>

/** MCP, CompleteResult: at most 100 values. */
const MOST_VALUES = 100
/** What the template of schemas leaves out of their references. */
const SCHEMAS = '/schemas/'
/** Longer than any id. */
const MAX_VALUE = 500

/** The task that lists what an argument names. */
const TASK_OF: ReadonlyMap<string, string> = new Map([
  ['media_buy_id', 'get_media_buys'],
  ['account_id', 'list_accounts'],
])

/**
 * Values that begin with what a person has typed, or whose name holds it (MCP, completion/complete): ids of the caller's own orders and accounts, and paths of
 * schemas. Empty where an argument has no list of values, and where the caller's key may not read it; without a key it is refused as the task is.
 * @throws Refusal (-32602) for a prompt, an argument or a resource that does not exist
 */
export async function complete(
  { ref, argument }: Pick<CompleteRequestParams, 'ref' | 'argument'>,
  read: ReadNamed | undefined,
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
  const task = TASK_OF.get(argument.name)
  if (task === undefined || read === undefined) return { values: [], total: 0, hasMore: false }
  const { rows, isCut } = await read(task)
  return fitting(rows, typed, isCut)
}

/** Ids that begin with the text come first. */
function fitting(rows: NamedRows['rows'], typed: string, isCut: boolean): CompleteResult['completion'] {
  const begins = rows.filter(({ id }) => id.toLowerCase().startsWith(typed))
  const holds = rows.filter((row) => !begins.includes(row) && row.names.some((name) => name.toLowerCase().includes(typed)))
  const found = [...begins, ...holds].map(({ id }) => id)
  return {
    values: found.slice(0, MOST_VALUES),
    ...(!isCut && { total: found.length }),
    hasMore: isCut || found.length > MOST_VALUES,
  }
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
