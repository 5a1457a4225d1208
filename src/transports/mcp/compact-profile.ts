import type { Tool } from '@modelcontextprotocol/server'
import { isObject } from '../../protocol/is-object.ts'
import { INVALID_PARAMS, Refusal } from '../json-rpc/json-rpc.ts'
import type { ToolCallParams } from './server.ts'

const FIND = 'find_operations'
const CALL = 'call_operation'
/** Operations that are described in full at once: some four thousand characters each. */
const MOST_FOUND = 4
const MAX_QUERY = 200

/** What a host of the compact profile (`/mcp/compact`) lists: every task is reached by these two, with the rights and checks that it has by itself. */
export const COMPACT_TOOLS: readonly Tool[] = [
  {
    name: FIND,
    title: 'Find operations',
    description:
      'Operations of this AdCP seller (products, media buys, creatives, accounts, delivery, signals …). With a query in words or a name: those that fit, each with its arguments. Without: the names of all.',
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    inputSchema: { type: 'object', properties: { query: { type: 'string', maxLength: MAX_QUERY } } },
  },
  {
    name: CALL,
    title: 'Call an operation',
    description: `Calls an operation with arguments as ${FIND} describes them. Ask a person before one that spends money.`,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: { operation: { type: 'string' }, arguments: { type: 'object' } },
      required: ['operation'],
    },
  },
]

/** A call of the compact profile: of a task, or a search for tasks. A tool that is not of the profile is called as it is. Throws Refusal (-32602). */
export function compactCall(params: ToolCallParams): { readonly call: ToolCallParams } | { readonly search: string } {
  const given = isObject(params.arguments) ? params.arguments : {}
  if (params.name === FIND) {
    const { query = '' } = given
    if (typeof query !== 'string' || query.length > MAX_QUERY)
      throw invalid(`query of ${FIND} is a text of up to ${MAX_QUERY} characters`)
    return { search: query }
  }
  if (params.name !== CALL) return { call: params }
  const { operation, arguments: args = {} } = given
  if (typeof operation !== 'string') throw invalid(`operation of ${CALL} is the name of one, as ${FIND} gives it`)
  if (!isObject(args)) throw invalid(`arguments of ${CALL} is an object`)
  return { call: { ...params, name: operation, arguments: args } }
}

function invalid(message: string): Refusal {
  return new Refusal(400, INVALID_PARAMS, message)
}

/** The operations that a query means, best first; names and descriptions of all where it says nothing. */
export function findOperations(tools: readonly Tool[], query: string) {
  const words = wordsOf(query)
  if (words.length === 0) return { operations: tools.map(({ name, description }) => ({ name, description })) }
  const ranked = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words, query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
  return {
    operations: ranked
      .slice(0, MOST_FOUND)
      .map(({ tool: { name, description, inputSchema } }) => ({ name, description, arguments: inputSchema })),
    ...(ranked.length > MOST_FOUND && { others: ranked.slice(MOST_FOUND, 20).map(({ tool }) => tool.name) }),
  }
}

/** A word of the name counts three times one of the description; the name itself comes first. */
function scoreOf({ name, description = '' }: Tool, words: readonly string[], query: string): number {
  if (name === query.trim()) return Number.MAX_SAFE_INTEGER
  const [inName, inText] = [wordsOf(name), wordsOf(description)]
  return words.reduce((sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0), 0)
}

/** Words in lower case without the plural's end. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[a-z0-9]{2,}/g) ?? []).map((word) => word.replace(/(?<=.{3})s$/, ''))
}
