import { Command } from 'commander'
import { startMatchRouter } from '../compose/match-router.ts'
import { matchSchemas } from '../compose/match-schemas.ts'
import { loadMatchRouterSettings } from '../config/match-router-settings.ts'
import { createLog } from '../platform/log.ts'
import { Schemas } from '../protocol/schemas.ts'

/** `sales-agent trusted-match`: what of Trusted Match runs as a process of its own. */
export function trustedMatchCommand(): Command {
  const command = new Command('trusted-match').description('Trusted Match (experimental in AdCP): the router of a publisher')
  command
    .command('router')
    .description('serve a router: POST /context, POST /identity, GET /health')
    .requiredOption('--file <file>', 'file of the router (YAML or JSON; docs/trusted-match.md)')
    .action(async ({ file }: { readonly file: string }) => {
      const log = createLog('info')
      const router = await startMatchRouter(loadMatchRouterSettings(new Schemas(), file), { schemas: matchSchemas(), log })
      log.info({ port: router.port, metricsPort: router.metricsPort }, 'routing')
      for (const signal of ['SIGTERM', 'SIGINT'] as const)
        process.once(signal, () => {
          void router.close().then(
            () => process.exit(0),
            () => process.exit(1),
          )
        })
    })
  return command
}
