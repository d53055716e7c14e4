#!/bin/sh
# A night under cron, which mails what is printed: why a night failed or was skipped, and nothing of a good one.
config=/etc/lexbeam/config.yaml
out=/srv/lexbeam/results
log=/var/log/lexbeam.jsonl
lock=/run/lock/lexbeam.lock

exec 9>"$lock"
if ! flock --nonblock 9; then
    echo "lexbeam: this night was skipped, for the refresh of a night before it is still at work"
    exit 1
fi
lexbeam refresh "$config" --out "$out" --keep used --exit-code --log json 2>>"$log" 9>&-
code=$?
case $code in
0 | 3) exit 0 ;; # 3: nothing had changed
esac
echo "lexbeam refresh ended with $code; the last line of $log:"
tail -n 1 "$log"
exit $code
