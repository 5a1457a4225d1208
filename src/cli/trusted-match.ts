import { Command } from 'commander'
import type { Logger } from 'pino'
import { startMatchProvider } from '../compose/trusted-match/match-provider.ts'
import { startMatchRouter } from '../compose/trusted-match/match-router.ts'
import { fileSource, storeSource } from '../compose/trusted-match/router-source.ts'
import { loadMatchProviderSettings } from '../config/match-provider-settings.ts'
import { loadMatchRouterSettings } from '../config/match-router-settings.ts'
import { matchActs } from '../operator/trusted-match/acts.ts'
import { createLog } from '../platform/log.ts'
import { matchSchemas } from '../protocol/match-schemas.ts'
import { Schemas } from '../protocol/schemas.ts'
import { addAct } from './act-command.ts'
import { letYoungGenerationGrowTo } from './heap-growth.ts'
import { configOf, type StoreOptions, withStoreOptions } from './store-options.ts'

/** What the requests of a router under full load allocate in some 70 ms: most of them are over by then, so that little of it has to be moved. */
const YOUNG_BYTES = 16 * 1024 * 1024

interface FileOption {
  readonly file: string
}

/** `sales-agent trusted-match`: the processes of Trusted Match (router, provider) and the acts on providers and keys. */
export function trustedMatchCommand(): Command {
  const command = new Command('trusted-match')
  withStoreOptions(command.command('router').description('serve a router: POST /context, POST /identity, GET /health'))
    .requiredOption('--file <file>', 'file of the router (YAML or JSON; docs/trusted-match.md)')
    .action(async ({ file, ...options }: FileOption & StoreOptions) => {
      const log = createLog('info')
      const own = new Schemas()
      const schemas = matchSchemas()
      const settings = loadMatchRouterSettings(own, file)
      const { tenant, development } = settings
      const source =
        tenant === undefined
          ? fileSource(settings, schemas)
          : await storeSource({ config: configOf(options, own), tenantId: tenant, development, schemas, log })
      const router = await startMatchRouter(settings, { schemas, log, source })
      letYoungGenerationGrowTo(YOUNG_BYTES)
      log.info({ port: router.port, metricsPort: router.metricsPort }, 'routing')
      closeOnSignal(router, log)
    })
  withStoreOptions(
    command
      .command('provider')
      .description('serve a provider: POST …/context, …/identity, …/packages, GET …/impression, …/health'),
  )
    .requiredOption('--file <file>', 'file of the provider (YAML or JSON; docs/trusted-match.md)')
    .action(async ({ file, ...options }: FileOption & StoreOptions) => {
      const log = createLog('info')
      const own = new Schemas()
      const settings = loadMatchProviderSettings(own, file)
      const provider = await startMatchProvider(settings, { schemas: matchSchemas(), place: configOf(options, own), log })
      letYoungGenerationGrowTo(YOUNG_BYTES)
      log.info({ port: provider.port, metricsPort: provider.metricsPort }, 'providing')
      closeOnSignal(provider, log)
    })
  command.command('providers').description('providers that the router asks, and the sync of packages to them')
  command.command('keys').description('keys that the router signs with')
  for (const act of matchActs) if (act.command) addAct(command, act)
  return command
}

function closeOnSignal(running: { close(): Promise<void> }, log: Logger): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      void running.close().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'closing failed')
          process.exit(1)
        },
      )
    })
}
