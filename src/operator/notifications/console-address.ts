import { type Config, publicOrigin } from '../../config/config.ts'

/** Address of the console as the configuration says it, without a trailing slash. */
export function consoleAddressOf(config: Config): string {
  const { host, port } = config.console
  const { publicUrl: _agents, ...withoutUrl } = config
  return `${port === undefined ? publicOrigin(config) : publicOrigin({ ...withoutUrl, host, port })}/console`
}
