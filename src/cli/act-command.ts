import { Command, Option } from 'commander'
import { type Act, paramNames } from '../operator/act.ts'
import type { Column } from '../operator/command-form.ts'
import type { Field } from '../operator/fields.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { ActCommand } from './act-flags.ts'
import { confirm } from './confirm.ts'
import { operate, operateFor, performHere, type TenantOption } from './operate.ts'
import { print, table, withMore } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface ActOptions extends TenantOption {
  readonly json?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly csv?: boolean
}

/** A group of commands, made from its acts: options, arguments, help, `--json`, tables, confirmation. */
export function actsCommand(group: string, acts: readonly Act[]): Command {
  const root = new Command(group)
  for (const act of acts) if (act.command) addAct(root, act)
  return root
}

/** The command of one act that is no part of a group. */
export function actCommand(act: Act): Command {
  return commandOf(act, act.command?.words ?? act.name)
}

/** Adds the command of an act below its group. */
export function addAct(root: Command, act: Act): void {
  const words = (act.command?.words ?? act.name.replaceAll('.', ' ')).split(' ').slice(1)
  const leaf = words.at(-1) ?? act.name
  const parent = words
    .slice(0, -1)
    .reduce((above, word) => above.commands.find((each) => each.name() === word) ?? above.command(word), root)
  parent.addCommand(commandOf(act, leaf))
}

function commandOf(act: Act, leaf: string): Command {
  const { fields, scope, command: form } = act
  const args = form?.args ?? paramNames(act.path)
  const command = new ActCommand(leaf).description(form?.help ?? act.summary)
  for (const name of args) {
    command.argument(`<${name}>`, fields[name]?.about)
    command.flags.set(name, name)
  }
  withStoreOptions(command)
  if (scope === 'publisher') command.option('--tenant <id>')
  const options = Object.entries(fields).filter(([name]) => !args.includes(name))
  for (const [name, field] of options) {
    const flag = `--${form?.flags?.[name] ?? name.replaceAll('_', '-')}`
    command.flags.set(name, flag)
    command.addOption(optionOf(flag, field).makeOptionMandatory(field.required && form?.defaults?.[name] === undefined))
    // What buyers were called before.
    if (flag === '--buyer') alias(command, '--principal', 'buyer')
  }
  if (form?.dryRun) command.option('--dry-run', 'show what it would come to, and change nothing')
  if (form?.confirm) command.option('--yes', 'do not ask first')
  if (form?.csv) command.option('--csv', 'print CSV')
  return command.option('--json').action(async (...given: unknown[]) => {
    const chosen: Readonly<Record<string, unknown>> & ActOptions = command.opts()
    const entries = options.flatMap(([name]) => {
      const value = chosen[optionName(command, command.flags.get(name) ?? '')]
      return value === undefined ? [] : [[name, value] as const]
    })
    const named = args.map((name, index) => [name, textOf(fields[name], given[index])] as const)
    await carryOut(act, { ...form?.defaults, ...Object.fromEntries(named), ...Object.fromEntries(entries) }, chosen)
  })
}

/** An earlier name of an option: taken, and not in the help. */
function alias(command: Command, earlier: string, name: string): void {
  command.addOption(new Option(`${earlier} <text>`).hideHelp())
  command.on(`option:${earlier.slice(2)}`, (value: string) => command.setOptionValueWithSource(name, value, 'cli'))
}

/** The name under which commander has the value of an option. */
function optionName(command: Command, flag: string): string {
  return command.options.find(({ long }) => long === flag)?.attributeName() ?? flag
}

function optionOf(flag: string, field: Field<unknown>): Option {
  const { type, enum: choices } = field.schema
  if (type === 'boolean') return new Option(flag, field.about)
  const placeholder =
    type === 'integer' ? 'number' : type === 'array' && field.separated ? 'list' : type === 'object' ? 'json' : 'text'
  const option = new Option(`${flag} <${placeholder}>`, field.about)
  if (Array.isArray(choices)) return option.choices(choices.map(String))
  if (type === 'array') {
    const itemsOf = (text: string) => (field.separated ? text.split(',').map((item) => item.trim()) : [text])
    return option.argParser((text: string, all: readonly unknown[] = []) => [...all, ...itemsOf(text)])
  }
  return option.argParser((text: string) => textOf(field, text))
}

/** The value that a word of the command line stands for; what is none is left as it is, and refused where fields are checked. */
function textOf(field: Field<unknown> | undefined, word: unknown): unknown {
  if (typeof word !== 'string' || !field) return word
  if (field.schema.type !== 'object') return field.parse?.(word) ?? word
  try {
    return JSON.parse(word)
  } catch {
    return word
  }
}

async function carryOut(act: Act, members: Readonly<Record<string, unknown>>, options: ActOptions): Promise<void> {
  if (act.scope === 'deployment') return operate(options, (operator) => run(operator, '', act, members, options))
  return operateFor(options, (operator, tenantId) => run(operator, tenantId, act, members, options))
}

async function run(
  operator: OperatorContext,
  tenantId: string,
  act: Act,
  members: Readonly<Record<string, unknown>>,
  options: ActOptions,
): Promise<void> {
  const tried = options.dryRun === true ? act.command?.dryRun?.(members) : undefined
  const [chosen, values] = tried ? [tried.act, tried.values] : [act, members]
  const question = tried ? undefined : act.command?.confirm?.(members, tenantId)
  if (question !== undefined && !options.yes) await confirm(question)
  show(chosen, await performHere(operator, tenantId, chosen, values), members, options)
}

function show({ command }: Act, answer: object, members: Readonly<Record<string, unknown>>, { csv, json }: ActOptions): void {
  const { columns, text } = command ?? {}
  if (csv && command?.csv) process.stdout.write(command.csv(answer))
  else if (json) print(json, command?.json?.(answer, members) ?? answer, [])
  else if (columns && isPage(answer)) showList(columns, answer)
  else print(json, answer, text ? text(answer, members) : [JSON.stringify(answer, undefined, 2)])
}

interface Page {
  readonly items: readonly never[]
  readonly next_cursor: string | null
}

function isPage(answer: object): answer is Page {
  return 'items' in answer && Array.isArray(answer.items) && 'next_cursor' in answer
}

function showList(columns: readonly Column<never>[], { items, next_cursor: next }: Page): void {
  const rows = items.map((item) => columns.map(([, cell]) => cell(item)))
  const headings = columns.map(([heading]) => heading)
  print(false, items, withMore(table(headings, rows), next))
}
