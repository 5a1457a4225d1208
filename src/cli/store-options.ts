import type { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { Schemas } from '../protocol/schemas.ts'

export interface StoreOptions {
  readonly data?: string
  readonly config?: string
  /** The file that a command writes. */
  readonly out?: string
}

/** Adds the options that every command on a store takes. */
export function withStoreOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'data folder (default ./data)')
    .option('--config <file>', 'configuration file (YAML or JSON)')
}

/** The same of a command that answers with text, or with one JSON document. */
export function withAnswerOptions(command: Command): Command {
  return withStoreOptions(command).option('--json')
}

/** The same of a command that answers for one publisher. */
export function withTenantOptions(command: Command): Command {
  return withAnswerOptions(command.option('--tenant <id>'))
}

/** The configuration that a command on a store works with. Throws ConfigError. */
export function configOf(options: StoreOptions, schemas = new Schemas()): Config {
  return loadConfig(schemas, { file: options.config, flags: { data: options.data } })
}
