import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { SettingsObject } from '../ad-serving/backend-setup.ts'
import type { DriftPolicy } from '../domain/ad-serving/drift.ts'
import { readCredentials, removeStoredCredentials, setCredentials } from '../operator/ad-servers/ad-server-credentials.ts'
import {
  type AdServerChange,
  addAdServer,
  removeAdServer,
  type ShownSetting,
  setAdServer,
} from '../operator/ad-servers/manage-ad-servers.ts'
import { AdcpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/is-object.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print } from './output.ts'
import { warnUnserved } from './warn-unserved.ts'

interface SettingOptions extends TenantOption {
  readonly json?: boolean
  readonly type?: string
  readonly options?: string
  readonly drift?: DriftPolicy
  readonly products?: string
  readonly file?: string
  readonly network?: string
  readonly key?: string
  readonly remove?: boolean
  readonly check?: boolean
}

/** Adds `add`, `set`, `remove` and `credentials` to the commands of ad servers; `command` makes one with the options that all have. */
export function addSettingCommands(command: (name: string, description: string) => Command): void {
  withChange(command('add <name>', 'set up an ad server of a publisher'))
    .option('--type <type>', 'a built-in type: google_ad_manager, upstream or manual')
    .option('--network <code>', 'a network of Google Ad Manager: sets the type and options.network')
    .option('--key <file>', 'key file of a service account (or other credentials), which is tried and stored encrypted')
    .action((name: string, options: SettingOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const setting = { name, type: typeOf(options), ...changeOf(options) }
        const credentials = options.key === undefined ? undefined : readCredentials(textOf(options.key))
        const added = await addAdServer(operator, tenantId, setting)
        if (credentials) {
          await setCredentials(operator, tenantId, { name, credentials, check: options.check !== false }).catch(async (error) => {
            await removeAdServer(operator, tenantId, name)
            throw error
          })
        }
        printSetting(options, added)
        await warnUnserved(operator, tenantId)
      }),
    )
  withChange(command('set <name>', 'change an ad server that was added')).action((name: string, options: SettingOptions) =>
    operateFor(options, async (operator, tenantId) => {
      printSetting(options, await setAdServer(operator, tenantId, { name, ...changeOf(options) }))
      await warnUnserved(operator, tenantId)
    }),
  )
  command('remove <name>', 'remove an ad server that was added; refused while it has orders').action(
    (name: string, options: SettingOptions) =>
      operateFor(options, async (operator, tenantId) => {
        await removeAdServer(operator, tenantId, name)
        print(options.json, { name, removed: true }, [`removed ${name} with its credentials`])
      }),
  )
  command('credentials <name>', 'store or rotate the credentials of an ad server, encrypted')
    .option('--file <file>', 'JSON object, such as the key file of a service account; - reads standard input')
    .option('--no-check', 'store them without trying them')
    .option('--remove', 'delete them')
    .action((name: string, options: SettingOptions) =>
      operateFor(options, async (operator, tenantId) => {
        if (options.remove) {
          await removeStoredCredentials(operator, tenantId, name)
          print(options.json, { name, removed: true }, [`removed the credentials of ${name}`])
          return
        }
        const credentials = readCredentials(textOf(options.file))
        const done = await setCredentials(operator, tenantId, { name, credentials, check: options.check !== false })
        print(options.json, done, [`stored the credentials of ${name}${done.checked ? '; the ad server takes them' : ''}`])
      }),
    )
}

function withChange(command: Command): Command {
  return command
    .option('--options <json>', 'settings of its type as a JSON object, without secrets')
    .addOption(new Option('--drift <policy>', 'what happens when it was changed there').choices(['heal', 'adopt', 'leave']))
    .option('--products <list>', 'ids of the products that it serves, or all')
}

/** The type that was named; a network is one of Google Ad Manager. Throws INVALID_REQUEST for neither. */
function typeOf({ type, network }: SettingOptions): string {
  const named = type ?? (network === undefined ? undefined : 'google_ad_manager')
  if (named !== undefined) return named
  throw new AdcpError('INVALID_REQUEST', 'name the type with --type, or a network of Google Ad Manager with --network', {
    field: 'type',
  })
}

function changeOf({ options, network, drift, products }: SettingOptions): AdServerChange {
  const given = options === undefined ? undefined : readOptions(options)
  return {
    ...((given || network !== undefined) && { options: { ...given, ...(network !== undefined && { network }) } }),
    ...(drift && { drift }),
    ...(products !== undefined && { products: products === 'all' ? products : products.split(',').map((id) => id.trim()) }),
  }
}

function readOptions(text: string): SettingsObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Said below.
  }
  throw new AdcpError('INVALID_REQUEST', `--options must be a JSON object, such as '{"url": "https://ads.example"}'`, {
    field: 'options',
  })
}

function textOf(file: string | undefined): string {
  if (file === undefined)
    throw new AdcpError('INVALID_REQUEST', 'name a file with --file, or --file - for standard input', { field: 'file' })
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new AdcpError('INVALID_REQUEST', `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      field: 'file',
    })
  }
}

function printSetting({ json }: SettingOptions, setting: ShownSetting): void {
  const products = setting.products === 'all' ? 'all products' : setting.products.join(', ')
  print(json, setting, [`${setting.name} (${setting.type}) serves ${products}; drift: ${setting.drift}`])
}
