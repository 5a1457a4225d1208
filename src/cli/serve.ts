import cluster from 'node:cluster'
import { Command, Option } from 'commander'
import { adsOrigin } from '../config/ads-settings.ts'
import { type Config, publicOrigin } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { serve, serveAds, serveEvents, serveOverStdio, serveWithWorkers } from '../main.ts'
import { initialise } from '../operator/init/initialise.ts'
import { Schemas } from '../protocol/schemas.ts'
import { consoleLines } from './console-lines.ts'
import { letYoungGenerationGrow } from './heap-growth.ts'
import { operate } from './operate.ts'
import { type StoreOptions, withStoreOptions } from './store-options.ts'
import { welcome } from './welcome.ts'
import { tcpPort, wholeNumber } from './whole-number.ts'

interface ServeOptions {
  readonly data?: string
  readonly port?: number
  readonly host?: string
  readonly workers?: number
  readonly sandbox?: boolean
  readonly conformance?: boolean
  readonly stdio?: boolean
  readonly config?: string
  readonly demo?: boolean
  readonly only?: 'ads' | 'events'
}

/** `sales-agent serve`: MCP over HTTP, or over stdio as one buyer. */
export function serveCommand(): Command {
  return withStoreOptions(new Command('serve'))
    .option('--port <n>', 'TCP port (default 3000; 0 picks a free one)', tcpPort)
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--workers <n>', 'processes that share the port (default 1)', wholeNumber(1))
    .option('--sandbox', 'serve the compliance test controller to sandbox buyers')
    .option('--conformance', 'serve what only the official storyboards need to sandbox buyers (implies --sandbox)')
    .option('--stdio', 'speak MCP on stdin/stdout as the buyer of the key in SALES_AGENT_KEY')
    .option('--demo', 'create the demo publisher first when the data folder has none')
    .addOption(
      new Option(
        '--only <part>',
        'serve this part without the agent: the embedded ad server, or counting its events from the log',
      ).choices(['ads', 'events']),
    )
    .action(async (options: ServeOptions) => {
      const { data, port, host, workers, sandbox, conformance } = options
      const schemas = new Schemas()
      const config = loadConfig(schemas, {
        file: options.config,
        // A worker has its ports from the process that started it.
        flags: { data, port: cluster.isWorker ? undefined : port, host, workers, sandbox, conformance },
      })
      if (cluster.isWorker) {
        await serve(config)
        letYoungGenerationGrow()
        return
      }
      const demo = options.demo
        ? await operate(
            { data: config.data, ...(options.config !== undefined && { config: options.config }) },
            (operator) => initialise(operator, { demo: true }),
            true,
            schemas,
          )
        : undefined
      if (options.only === 'ads') {
        const { port } = await serveAds(config)
        letYoungGenerationGrow()
        console.log(`Ads on ${embeddedAdsOrigin(config, port)}/ads`)
        return
      }
      if (options.only === 'events') {
        const { port } = await serveEvents(config)
        letYoungGenerationGrow()
        console.log(`Counting ad events of ${config.ads.kafka.topic}; health on http://${config.host}:${port}/readyz`)
        return
      }
      if (options.stdio) {
        letYoungGenerationGrow()
        return serveOverStdio(config)
      }
      const server = config.workers > 1 ? await serveWithWorkers(config) : await serve(config)
      letYoungGenerationGrow()
      console.log(welcome(config, server.port, demo?.result.key ?? undefined).join('\n'))
      const lines = config.console.enabled
        ? await operate(storeOf(config, options), (operator) => consoleLines(operator, server), false, schemas)
        : []
      if (lines.length > 0) console.log(lines.join('\n'))
    })
}

/** Where the ads of this process are: a port of their own, else the main one. */
function embeddedAdsOrigin(config: Config, port: number): string {
  const { ads } = config
  return ads.port === undefined ? adsOrigin(ads, publicOrigin({ ...config, port })) : adsOrigin({ ...ads, port }, '')
}

function storeOf({ data }: Config, { config }: ServeOptions): StoreOptions {
  return { data, ...(config !== undefined && { config }) }
}
