// Preloaded into a server: writes the addresses of all scripts that it has loaded to standard error whenever it gets SIGUSR2.
const { Session } = require('node:inspector')

process.on('SIGUSR2', () => {
  const session = new Session()
  const urls = []
  session.connect()
  session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
  session.post('Debugger.enable', () => {
    process.stderr.write(`loaded ${JSON.stringify(urls)}\n`)
    session.disconnect()
  })
})
