import { Command } from 'commander'
import { type Act, paramNames } from '../operator/act.ts'
import type { Column } from '../operator/command-form.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { list } from '../operator/shape.ts'
import { listTenants } from '../operator/tenants/list-tenants.ts'
import { ActCommand } from './act-flags.ts'
import { addFieldOptions, wordValue } from './act-options.ts'
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
    const { required, schema, about } = fields[name] ?? {}
    const word = schema?.type === 'array' ? `${name}...` : name
    command.argument(required ? `<${word}>` : `[${word}]`, about)
    command.flags.set(name, name)
  }
  withStoreOptions(command)
  if (form?.anyId) command.allowUnknownOption()
  if (scope === 'publisher') command.option('--tenant <id>')
  const read = addFieldOptions(command, act, args)
  if (form?.instead) command.option(`--${form.instead.flag}`, form.instead.about)
  if (form?.dryRun) command.option('--dry-run', 'show what it would come to, and change nothing')
  if (form?.confirm) command.option('--yes', 'do not ask first')
  if (form?.csv) command.option('--csv', 'print CSV')
  return command.option('--json').action(async (...given: unknown[]) => {
    const chosen: Readonly<Record<string, unknown>> & ActOptions = command.opts()
    const named = args.map((name, index) => [name, wordValue(fields[name], given[index])] as const)
    const members = {
      ...form?.defaults,
      ...Object.fromEntries(named.filter(([, value]) => value !== undefined)),
      ...read(chosen),
    }
    const { instead } = form ?? {}
    if (instead && chosen[instead.flag] === true) await carryOut(instead.act, instead.values(members), chosen)
    else await carryOut(act, members, chosen)
  })
}

async function carryOut(act: Act, members: Readonly<Record<string, unknown>>, options: ActOptions): Promise<void> {
  if (act.scope === 'deployment')
    return operate(options, (operator) => run(operator, '', act, members, options), act.command?.createsStore)
  const everywhere = act.command?.withoutTenant
  if (everywhere && options.tenant === undefined) return carryOut(everywhere, members, options)
  if (act.command?.everyPublisher && options.tenant === undefined)
    return operate(options, async (operator) => show(act, await ofEveryPublisher(operator, act, members), members, '', options))
  return operateFor(options, (operator, tenantId) => run(operator, tenantId, act, members, options))
}

/** What an act lists for each publisher of the deployment, as one list. */
async function ofEveryPublisher(operator: OperatorContext, act: Act, members: Readonly<Record<string, unknown>>) {
  const items: unknown[] = []
  for (const { tenant } of await listTenants(operator)) {
    const page = await performHere(operator, tenant, act, members)
    if (isPage(page)) items.push(...page.items)
  }
  return list(items)
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
  show(chosen, await performHere(operator, tenantId, chosen, values), members, tenantId, options)
}

function show(
  { command }: Act,
  answer: object,
  members: Readonly<Record<string, unknown>>,
  tenantId: string,
  { csv, json }: ActOptions,
): void {
  const { columns, text } = command ?? {}
  if (command?.fails?.(answer)) process.exitCode = 1
  if (csv && command?.csv) process.stdout.write(command.csv(answer))
  else if (json) print(json, command?.json?.(answer, members, tenantId) ?? answer, [])
  else if (columns && isPage(answer)) showList(columns, answer, command?.footer?.(answer, members))
  else print(json, answer, text ? text(answer, members) : [JSON.stringify(answer, undefined, 2)])
}

interface Page {
  readonly items: readonly never[]
  readonly next_cursor: string | null
}

function isPage(answer: object): answer is Page {
  return 'items' in answer && Array.isArray(answer.items) && 'next_cursor' in answer
}

function showList(columns: readonly Column<never>[], { items, next_cursor: next }: Page, footer: readonly string[] = []): void {
  const rows = items.map((item) => columns.map(([, cell]) => cell(item)))
  const headings = columns.map(([heading]) => heading)
  print(false, items, [...withMore(table(headings, rows), next), ...footer])
}
