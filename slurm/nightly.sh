#!/bin/bash
# One night of a leaderboard, for cron or scrontab: plans the run, submits it to Slurm in shards, after them a job
# that does what they left, and after that one that writes the night's tables and what changed since the last night.
#
# usage: slurm/nightly.sh [--dry-run] CONFIG --out OUT [OPTION of ventral run…]
#   --dry-run   print the commands, check the options and the run file, and submit nothing
#
# environment
#   VENTRAL                 the program (default: build/release/jobs/ventral beside this folder)
#   VENTRAL_SHARDS          number of array tasks (default 16): many more than nodes
#   VENTRAL_SBATCH          options of sbatch for the array and the job after it, in words:
#                           "--partition=night --ntasks-per-node=4 --cpus-per-task=8 --mem=180G --time=6:00:00"
#   VENTRAL_SBATCH_REPORT   options of sbatch for the job that reports: "--partition=night --mail-type=END"
#   VENTRAL_PLAN            options of ventral plan that say what a node has: "--ranks 4 --threads 8 --memory 180GiB"
#                           (default: what this machine has); "skip" submits without planning, and
#                           without a look at the options, as where the data cannot be seen from here
#   VENTRAL_NIGHT           name of the night's folder, which no earlier night may have had (default: the date; with the
#                           time if that is taken)
#   VENTRAL_MAX_RESTARTS    see run_and_requeue
#
# files
#   OUT/nights/NIGHT/       plan.txt, a log of each job, and of the last one report.txt, scores.csv, .json and .nc
#   OUT/nights/last         the name of the last night that has tables
#
# exit code: 0 submitted, also where some scores will fail (they are named); 1 not: the command line, the configuration,
# nothing that can run (plan.txt says why, and which setting would make a unit fit), jobs of an earlier night on OUT that
# have not ended, or sbatch.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
ventral=${VENTRAL:-$here/../build/release/jobs/ventral}
shards=${VENTRAL_SHARDS:-16}
export VENTRAL_SLURM=$here # the jobs run in the folder that this was called from
# Of the job that scrontab makes of this: the jobs of the night would take them for theirs.
unset SLURM_RESTART_COUNT SLURM_MEM_PER_NODE SLURM_MEM_PER_CPU SLURM_MEM_PER_GPU

fail() {
    echo "nightly: $*" >&2
    exit 1
}

dry_run=no
if [ "${1:-}" = --dry-run ]; then
    dry_run=yes
    shift
fi
case ${1:-} in
    --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    '' | -*) fail "the run file comes first (usage: slurm/nightly.sh [--dry-run] CONFIG --out OUT [OPTION of ventral run…])" ;;
esac
[[ ${VENTRAL_MAX_RESTARTS:-20} =~ ^[0-9]+$ ]] ||
    fail "VENTRAL_MAX_RESTARTS is '$VENTRAL_MAX_RESTARTS', not a number of restarts"
[[ $shards =~ ^[1-9][0-9]*$ ]] || fail "VENTRAL_SHARDS is '$shards', not a number of shards"

# What plan takes of the options of run, and what the job after the array does: it would else repeat what that has done.
out=''
planned=("$1")
remaining=("$1")
is_planned=no
arguments=("${@:2}")
for ((i = 0; i < ${#arguments[@]}; ++i)); do
    argument=${arguments[i]}
    case $argument in
        --recompute | --retry-failed) ;;
        *) remaining+=("$argument") ;;
    esac
    case $argument in
        --out) out=${arguments[i + 1]:-} ;;
        --out=*) out=${argument#*=} ;;
        --check-options) fail "--check-options: each job would end at once" ;;
        --shard | --shard=*) fail "--shard: the array decides which shard a job is (VENTRAL_SHARDS says of how many)" ;;
    esac
    # With every word behind them: plan refuses a word too many, which would end each job.
    case $argument in
        --configs | --data | --models | --benchmarks | --set | --isa | --activations | --activations-budget | --activations-compress | --grams) is_planned=yes ;;
        --configs=* | --data=* | --models=* | --benchmarks=* | --set=* | --isa=* | --activations*=* | --grams=*) is_planned=yes ;;
        -*) is_planned=no ;;
    esac
    if [ $is_planned = yes ]; then planned+=("$argument"); fi
done
[ -n "$out" ] || fail "--out OUT is needed: the folder that all nights share"

nights=$out/nights
night=${VENTRAL_NIGHT:-$(date +%F)}
if [ -z "${VENTRAL_NIGHT:-}" ] && [ -e "$nights/$night" ]; then night=$(date +%F_%H%M%S); fi
[[ $night != */* && $night != .* && $night != last ]] || fail "VENTRAL_NIGHT is '$night', not the name of a folder"
folder=$nights/$night
# Its report would take what the earlier night left for its own.
[ ! -e "$folder/submitted" ] || fail "VENTRAL_NIGHT is '$night', and an earlier night had that name ($folder): take another"
# Jobs of one OUT have one name, by which an earlier night is found.
name=ventral-night-$(realpath -m -- "$out" | cksum | cut -d' ' -f1)
logs=${folder//%/%%}

# Also of several lines; read tells by its status that they have ended.
read -rd '' -a array_options <<<"${VENTRAL_SBATCH:-}"
read -rd '' -a report_options <<<"${VENTRAL_SBATCH_REPORT:-}"
read -rd '' -a plan_options <<<"${VENTRAL_PLAN:-}"

# Prints the id of the job, or in a dry run the command on stderr. The jobs need the variables above, which a site's
# SBATCH_EXPORT may keep from them.
submit() {
    set -- --export=ALL "$@"
    if [ $dry_run = yes ]; then
        { printf '%q ' sbatch "$@" && echo; } >&2
        echo ID
    else
        sbatch --parsable "$@" | cut -d';' -f1
    fi
}

refuse_second_night() {
    mkdir -p "$nights" || fail "$nights: cannot be made"
    exec 9>"$nights/lock" || fail "$nights/lock: cannot be written"
    flock -n -E 75 9
    if [ $? = 75 ]; then fail "another nightly.sh is at work on $out"; fi
    local queued
    # Whatever part of the queue the user's settings show, with partitions that are hidden.
    queued=$(unset "${!SQUEUE_@}" && squeue --all --noheader --name="$name" --format=%i) || fail "squeue failed, so that nobody knows whether an earlier night on $out has ended"
    if [ -n "$queued" ]; then
        fail "an earlier night on $out has not ended: jobs ${queued//$'\n'/ } (scancel --name=$name ends it)"
    fi
}

# Each unit that cannot run, or not all of it, and the scores that belong to none; $1 is what plan says beside.
tell_problems() {
    awk '/^[^ ]/ { unit = $0; sub(/:.*/, "", unit) } /^ *cannot run( in part)?: / { sub(/^ */, ""); print unit ": " $0 }' \
        "$folder/plan.txt" >&2
    grep '^error: ' <<<"$1" >&2
}

# Those that plan does not take too.
check_options() {
    if [ "${VENTRAL_PLAN:-}" = skip ]; then return; fi
    local command=("$ventral" run "$@" --check-options)
    if [ $dry_run = yes ]; then { printf '%q ' "${command[@]}" && echo; } >&2; fi
    "${command[@]}" >&2 || fail "nothing is submitted: ventral run would refuse it"
}

check_plan() {
    if [ "${VENTRAL_PLAN:-}" = skip ]; then return; fi
    local command=("$ventral" plan "${planned[@]}" --out "$out" --record "${plan_options[@]}")
    if [ $dry_run = yes ]; then
        { printf '%q ' "${command[@]}" && echo; } >&2
        return
    fi
    # In the shell first: the disk may be full.
    local said status
    said=$("${command[@]}" 2>&1 >"$folder/plan.txt")
    status=$?
    printf '%s\n' "$said" >"$folder/plan.log"
    if [ $status = 0 ]; then return; fi
    if [ ! -s "$folder/plan.txt" ]; then
        printf '%s\n' "$said" >&2
        fail "nothing is submitted: the run cannot be planned"
    fi
    tell_problems "$said"
    if [ $status != 2 ]; then
        fail "nothing is submitted: nothing can run ($folder/plan.txt; VENTRAL_PLAN says what a node has)"
    fi
    echo "nightly: these scores cannot be computed, have failed before, or do not all fit the disk; the others are submitted ($folder/plan.txt)" >&2
}

check_options "$@"
if [ $dry_run = no ]; then
    refuse_second_night
    mkdir -p "$folder" || fail "$folder: cannot be made"
fi
check_plan
if [ $dry_run = no ]; then
    touch "$folder/submitted" || fail "nothing is submitted: $folder/submitted cannot be written"
fi

# The night has not been: its name is free for another try. Slurm may have taken also a job of which sbatch says that
# it failed; no earlier night has jobs of this name now.
take_back() {
    rm -f "$folder/submitted"
    scancel --name="$name" || fail "$1, and scancel too: jobs of this night may be in the queue (scancel --name=$name)"
    fail "$1: jobs of this night that were in the queue are cancelled (scancel --name=$name)"
}
# A night of some jobs would never report.
if [ $dry_run = no ]; then trap 'take_back "stopped by a signal"' HUP INT TERM; fi

VENTRAL_SHARDS=$shards
export VENTRAL_SHARDS
array=$(submit "${array_options[@]}" --job-name="$name" --array="0-$((shards - 1))" --output="$logs/shard-%a.log" \
    "$here/array.sbatch" "$@") || take_back "sbatch failed"
rest=$(submit "${array_options[@]}" --job-name="$name" --dependency="afterany:$array" --output="$logs/rest.log" \
    "$here/score.sbatch" "${remaining[@]}") || take_back "sbatch failed"
# Also after the array: the job after it may be cancelled.
report=$(submit "${report_options[@]}" --job-name="$name" --dependency="afterany:$array:$rest" --output="$logs/report.log" \
    "$here/report.sbatch" "$out" "$night") || take_back "sbatch failed"
if [ $dry_run = no ]; then
    echo "nightly: jobs $array ($shards shards), $rest (what they leave) and $report (report) will write $folder/report.txt"
fi
