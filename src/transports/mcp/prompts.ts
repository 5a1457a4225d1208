import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import { findCredential } from '../../pipeline/credential-scan.ts'
import { INVALID_PARAMS, Refusal } from '../json-rpc/json-rpc.ts'
import type { VisibleTasks } from './tools.ts'

/** A brief is read to this length (get_products); the other arguments are ids, amounts and days. */
const MAX_BRIEF = 8_000
const MAX_ARGUMENT = 200

/** Values of a prompt's arguments, by name. */
type Values = Readonly<Record<string, string | undefined>>

/** A job that a person picks in the host of an assistant. The assistant does it with the tasks that the caller sees. */
interface Job {
  readonly prompt: Prompt & { readonly description: string; readonly arguments: NonNullable<Prompt['arguments']> }
  /** The job is offered to callers who see all tasks of one of these lists; the first list that fits is used. */
  readonly roads: readonly (readonly string[])[]
  /** What the assistant is told. `has`: whether a task is on the road that is used. */
  readonly text: (values: Values, has: (task: string) => boolean) => readonly string[]
}

const BRIEF = {
  name: 'brief',
  description: 'Product, audience, places, channels and goal of the campaign, in your own words',
  required: true,
}
const BUDGET = { name: 'budget', description: 'The most that may be spent, with its currency: "25,000 USD"' }
const ACCOUNT = { name: 'account_id', description: 'The account of the advertiser, as list_accounts names it' }

const JOBS: readonly Job[] = [
  {
    prompt: {
      name: 'plan_campaign',
      title: 'Plan a campaign',
      description: 'Finds products for a brief and makes a plan of them. Nothing is ordered before you agree.',
      arguments: [BRIEF, BUDGET, { name: 'flight', description: 'First and last day: "2027-03-01 to 2027-03-31"' }, ACCOUNT],
    },
    roads: [
      ['get_products', 'create_media_buy'],
      ['request_proposals', 'accept_proposal'],
      ['list_products', 'buy_products'],
    ],
    text: (values, has) => [
      'Plan a campaign with this seller.',
      ...given(values),
      has('get_products')
        ? 'Call get_products with buying_mode "brief" and a brief that says all of this.'
        : has('request_proposals')
          ? 'Call request_proposals with a brief that says all of this.'
          : 'Call list_products with criteria that say what of this they can.',
      'Show in a table what fits: name, price, smallest spend, reach or forecast, and why it fits. Say which wishes the seller did not apply.',
      'Then propose packages: for each its product, budget and days. The budgets together stay within the budget above; where there is none, ask for it.',
      `Order nothing yet. After I agreed to packages, sum and days in so many words, order with ${has('create_media_buy') ? 'create_media_buy' : has('accept_proposal') ? 'accept_proposal' : 'buy_products'}; without an account above, ask whom the order is for.`,
    ],
  },
  {
    prompt: {
      name: 'check_pacing',
      title: 'Check pacing',
      description: 'Compares what was delivered and spent with what was booked and the days that are left. Changes nothing.',
      arguments: [{ name: 'media_buy_id', description: 'The order; without one, all that run' }],
    },
    roads: [['get_media_buys', 'get_media_buy_delivery']],
    text: (values) => [
      'Check how my orders with this seller pace.',
      ...given(values),
      values.media_buy_id === undefined
        ? 'Call get_media_buys for the orders that are active or paused, then get_media_buy_delivery for them.'
        : 'Call get_media_buys and get_media_buy_delivery with this media_buy_id.',
      'Show for each package: budget, spend, impressions, days gone and left, and spend against an even pace (pacing_index; 1 is even).',
      'Name the packages below 0.9 or above 1.1, missing or refused creatives, and what holds an order up, each with the reason that the seller gives. Where there are no figures yet, say so.',
      'Propose what I could do. Change nothing before I agree.',
    ],
  },
  {
    prompt: {
      name: 'compare_proposals',
      title: 'Compare proposals',
      description: 'Has the seller propose media plans for a brief and sets them side by side. Nothing is held or ordered.',
      arguments: [BRIEF, BUDGET],
    },
    roads: [['get_products'], ['request_proposals']],
    text: (values, has) => [
      'Compare the plans that this seller proposes.',
      ...given(values),
      has('get_products')
        ? 'Call get_products with buying_mode "brief" and a brief that says all of this; its proposals are the plans.'
        : 'Call request_proposals with a brief that says all of this.',
      'Set the proposals side by side in a table: products and share of each, total budget, forecast, days, what is left out of the brief, cancellation terms, and whether and until when prices are firm.',
      'Where there is no proposal, or only one, say so and compare the products of the answer instead.',
      'Say which one fits the brief best and why, in numbers of the answer. Finalize and order nothing before I agree.',
    ],
  },
]

/** The prompts that a caller with these tasks can use. */
export function listPrompts(visible: VisibleTasks): Prompt[] {
  return JOBS.filter((job) => roadOf(job, visible) !== undefined).map(({ prompt }) => prompt)
}

/** The names of a prompt's arguments; undefined where there is no such prompt. */
export function promptArguments(name: string): readonly string[] | undefined {
  return JOBS.find(({ prompt }) => prompt.name === name)?.prompt.arguments.map((argument) => argument.name)
}

/**
 * A prompt with its arguments filled in (MCP, prompts/get).
 * @throws Refusal (-32602) for a prompt that the caller does not have, and for arguments that are missing, unknown or too long
 */
export function readPrompt(
  name: string,
  args: Readonly<Record<string, string>>,
  visible: VisibleTasks,
): Pick<GetPromptResult, 'description' | 'messages'> {
  const job = JOBS.find(({ prompt }) => prompt.name === name)
  const road = job && roadOf(job, visible)
  if (job === undefined || road === undefined) {
    const names = listPrompts(visible).map((prompt) => prompt.name)
    throw invalid(`there is no prompt ${JSON.stringify(name.slice(0, MAX_ARGUMENT))}; prompts: ${names.join(', ') || 'none'}`)
  }
  const values = checkedArguments(job, args)
  const lines = job.text(values, (task) => road.includes(task))
  const text = visible.compact ? [...lines, 'Operations are called with call_operation.'] : lines
  return {
    description: job.prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: text.join('\n') } }],
  }
}

function roadOf({ roads }: Job, { tasks }: VisibleTasks): readonly string[] | undefined {
  const names = new Set(tasks.map((task) => task.name))
  return roads.find((road) => road.every((task) => names.has(task)))
}

/** Throws a Refusal (-32602) for values of a person that hold a credential: an assistant would read it. */
export function refuseCredentials(values: object): void {
  if (findCredential(values, { secrets: [], isDeclared: () => false }) !== undefined)
    throw invalid('credentials belong in the transport (Authorization header), never in arguments')
}

/** Arguments as sent; blank ones count as absent, since hosts send what a person left empty. */
function checkedArguments({ prompt }: Job, args: Readonly<Record<string, string>>): Values {
  refuseCredentials(args)
  const known = prompt.arguments.map((argument) => argument.name)
  const unknown = Object.keys(args).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw invalid(
      `${JSON.stringify(unknown.slice(0, MAX_ARGUMENT))} is no argument of ${prompt.name}; arguments: ${known.join(', ')}`,
    )
  return Object.fromEntries(
    prompt.arguments.map(({ name, required }) => {
      const value = args[name]?.trim()
      const limit = name === BRIEF.name ? MAX_BRIEF : MAX_ARGUMENT
      if (value !== undefined && value.length > limit)
        throw invalid(`${name} of ${prompt.name} is a text of up to ${limit} characters`)
      if (required && !value) throw invalid(`${prompt.name} needs ${name}: ${BRIEF.description}`)
      return [name, value || undefined]
    }),
  )
}

/** The person's own words, each under the name of its argument. */
function given(values: Values): string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
}

function invalid(message: string): Refusal {
  return new Refusal(400, INVALID_PARAMS, message)
}
