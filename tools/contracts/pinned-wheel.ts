/**
 * Where the contracts of 3.1 and 3.2 come from: the official Python client, which carries the protocol's schemas and test vectors as data. Pinned by
 * hash, and an input of the build: nothing of it is part of this repository.
 */
export const PINNED_WHEEL = {
  requirement: 'adcp==9.2.0',
  file: 'adcp-9.2.0-py3-none-any.whl',
  sha256: '36321170849ab5a406766a134bcf291a6ec0b28ff0d57ddc76025fbcdb378817',
} as const

/** The lines that are taken from it; 3.0 comes with the npm package `@adcp/sdk`. */
export const WHEEL_LINES = ['3.1', '3.2'] as const
