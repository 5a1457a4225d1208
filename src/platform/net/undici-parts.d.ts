// Modules of undici without types of their own: those of its index are theirs.

declare module 'undici/lib/api/index.js' {
  const api: Readonly<Record<'request' | 'stream' | 'pipeline' | 'upgrade' | 'connect', unknown>>
  export default api
}

declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici'
}

declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}

declare module 'undici/lib/dispatcher/dispatcher.js' {
  export { Dispatcher as default } from 'undici'
}

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}
