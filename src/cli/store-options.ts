import type { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { Schemas } from '../protocol/schemas.ts'

export interface StoreOptions {
  readonly data?: string
  readonly config?: string
}

/** Adds the options that every command on a store takes. */
export function withStoreOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'data folder (default ./data)')
    .option('--config <file>', 'configuration file (YAML or JSON)')
}

/** The configuration that a command on a store works with. Throws ConfigError. */
export function configOf(options: StoreOptions, schemas = new Schemas()): Config {
  return loadConfig(schemas, { file: options.config, flags: { data: options.data } })
}
